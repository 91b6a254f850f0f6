import type { Network } from '../contract/network.ts'
import { redditChanges } from './changes.ts'
import { redditContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { reddit } from './limits.ts'
import { redditMetrics } from './metrics.ts'
import { redditAddresses } from './post-address.ts'

export const redditNetwork: Network = {
  name: 'Reddit',
  limits: reddit,
  content: redditContent,
  metrics: redditMetrics,
  addresses: redditAddresses,
  changes: redditChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).redditAdapter,
  tokens: { life: '24 hours', refresh: 'yes' },
}
