import type { Network } from '../contract/network.ts'
import { mastodonChanges } from './changes.ts'
import { mastodonContent } from './content.ts'
import { findMastodonEntities } from './entities.ts'
import { ERRORS } from './errors.ts'
import { mastodon } from './limits.ts'
import { mastodonMetrics } from './metrics.ts'
import { mastodonAddresses } from './post-address.ts'
import { limitsFor } from './server-limits.ts'
import { SOFTWARE } from './software.ts'

export const mastodonNetwork: Network = {
  name: 'Mastodon',
  limits: mastodon,
  limitsFor,
  software: SOFTWARE,
  content: mastodonContent,
  metrics: mastodonMetrics,
  addresses: mastodonAddresses,
  changes: mastodonChanges,
  errors: ERRORS,
  loadEntityFinder: () => findMastodonEntities,
  adapter: async () => (await import('./adapter.ts')).mastodonAdapter,
}
