import type { Network } from '../contract/network.ts'
import { googleClientIds } from '../families/google/client-ids.ts'
import { youtubeChanges } from './changes.ts'
import { youtubeContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { limitsFor } from './facts.ts'
import { youtube } from './limits.ts'
import { youtubeMetrics } from './metrics.ts'
import { youtubeAddresses } from './post-address.ts'

export const youtubeNetwork: Network = {
  name: 'YouTube',
  limits: youtube,
  limitsFor,
  content: youtubeContent,
  metrics: youtubeMetrics,
  addresses: youtubeAddresses,
  changes: youtubeChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).youtubeAdapter,
  clientIds: googleClientIds,
  tokens: {
    life: 'an hour',
    refresh: 'yes; for 7 days where the [app](../../platforms/youtube/README.md) is in testing',
  },
}
