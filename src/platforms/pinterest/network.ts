import type { Network } from '../contract/network.ts'
import { pinterestChanges } from './changes.ts'
import { pinterestContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { pinterest } from './limits.ts'
import { pinterestMetrics } from './metrics.ts'
import { pinterestAddresses } from './post-address.ts'

export const pinterestNetwork: Network = {
  name: 'Pinterest',
  limits: pinterest,
  content: pinterestContent,
  metrics: pinterestMetrics,
  addresses: pinterestAddresses,
  changes: pinterestChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).pinterestAdapter,
  tokens: { life: '30 days', refresh: 'yes' },
}
