import type { Network } from '../contract/network.ts'
import { mastodonAdapter } from './adapter.ts'
import { mastodon } from './limits.ts'

export const mastodonNetwork: Network = {
  name: 'Mastodon',
  limits: mastodon,
  adapter: mastodonAdapter,
}
