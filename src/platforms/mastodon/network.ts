import type { Network } from '../contract/network.ts'
import { mastodonContent } from './content.ts'
import { mastodon } from './limits.ts'
import { mastodonMetrics } from './metrics.ts'

export const mastodonNetwork: Network = {
  name: 'Mastodon',
  limits: mastodon,
  content: mastodonContent,
  metrics: mastodonMetrics,
  adapter: async () => (await import('./adapter.ts')).mastodonAdapter,
}
