import type { Network } from '../contract/network.ts'
import { mastodon } from './limits.ts'

export const mastodonNetwork: Network = {
  name: 'Mastodon',
  limits: mastodon,
  adapter: async () => (await import('./adapter.ts')).mastodonAdapter,
}
