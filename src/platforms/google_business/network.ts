import type { Network } from '../contract/network.ts'
import { googleClientIds } from '../families/google/client-ids.ts'
import { googleBusinessChanges } from './changes.ts'
import { googleBusinessContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { googleBusiness } from './limits.ts'
import { googleBusinessMetrics } from './metrics.ts'

export const googleBusinessNetwork: Network = {
  name: 'Google Business Profile',
  limits: googleBusiness,
  content: googleBusinessContent,
  metrics: googleBusinessMetrics,
  changes: googleBusinessChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).googleBusinessAdapter,
  clientIds: googleClientIds,
  tokens: {
    life: 'an hour',
    refresh: 'yes, while the [consent screen](../../platforms/google_business/README.md) is published',
  },
}
