import type { Network } from '../contract/network.ts'
import { youtubeAdapter } from './adapter.ts'
import { youtube } from './limits.ts'

export const youtubeNetwork: Network = {
  name: 'YouTube',
  limits: youtube,
  adapter: youtubeAdapter,
  tokens: { life: 'an hour', refresh: 'yes; for 7 days where the [app](../platforms/youtube/README.md) is in testing' },
}
