import type { Network } from '../contract/network.ts'
import { mastodonChanges } from './changes.ts'
import { mastodonContent } from './content.ts'
import { findMastodonEntities } from './entities.ts'
import { mastodon } from './limits.ts'
import { mastodonMetrics } from './metrics.ts'

export const mastodonNetwork: Network = {
  name: 'Mastodon',
  limits: mastodon,
  content: mastodonContent,
  metrics: mastodonMetrics,
  changes: mastodonChanges,
  loadEntityFinder: () => findMastodonEntities,
  adapter: async () => (await import('./adapter.ts')).mastodonAdapter,
}
