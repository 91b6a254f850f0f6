import type { Network } from '../contract/network.ts'
import { xChanges } from './changes.ts'
import { xContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { limitsFor } from './facts.ts'
import { x } from './limits.ts'
import { xMetrics } from './metrics.ts'
import { xAddresses } from './post-address.ts'

export const xNetwork: Network = {
  name: 'X',
  limits: x,
  limitsFor,
  content: xContent,
  metrics: xMetrics,
  addresses: xAddresses,
  changes: xChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).xAdapter,
  tokens: { life: '2 hours', refresh: 'yes' },
}
