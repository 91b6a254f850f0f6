import type { Network } from '../contract/network.ts'
import { tiktokChanges } from './changes.ts'
import { tiktokContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { tiktok } from './limits.ts'
import { tiktokMetrics } from './metrics.ts'
import { tiktokAddresses } from './post-address.ts'

export const tiktokNetwork: Network = {
  name: 'TikTok',
  limits: tiktok,
  content: tiktokContent,
  metrics: tiktokMetrics,
  addresses: tiktokAddresses,
  changes: tiktokChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).tiktokAdapter,
  tokens: { life: '2 hours', refresh: 'yes, for 180 days after each refresh' },
}
