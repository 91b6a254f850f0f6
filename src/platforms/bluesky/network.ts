import type { Network } from '../contract/network.ts'
import { blueskyAppearance } from './appearance.ts'
import { blueskyChanges } from './changes.ts'
import { clientAt } from './client.ts'
import { blueskyContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { limitsFor } from './facts.ts'
import { bluesky } from './limits.ts'
import { blueskyMetrics } from './metrics.ts'

export const blueskyNetwork: Network = {
  name: 'Bluesky',
  limits: bluesky,
  limitsFor,
  appearance: blueskyAppearance,
  content: blueskyContent,
  metrics: blueskyMetrics,
  addresses: {
    form: 'https://bsky.app/profile/HANDLE/post/ID',
    hosts: /^bsky\.app$/,
    patterns: [/^bsky\.app\/profile\/(?<owner>[^/]+)\/post\/(?<id>[\w.~:-]{1,512})\/?(?:\?|$)/],
    ownersOf: ({ username, externalId }) => [username, externalId],
    toId: (id, externalId) => `at://${externalId}/app.bsky.feed.post/${id}`,
  },
  changes: blueskyChanges,
  errors: ERRORS,
  loadEntityFinder: async () => (await import('./facets.ts')).findBlueskyEntities,
  adapter: async () => (await import('./adapter.ts')).blueskyAdapter,
  tokens: { life: 'an hour at most', refresh: 'yes, [with a key for years](../../platforms/bluesky/README.md)' },
  client: {
    keyDescription:
      '[Key for Bluesky](src/platforms/bluesky/README.md): 32 bytes in base64. Several, separated by commas: current first.',
    appAt: clientAt,
    requirement: 'PUBLIC_URL with https and without a port',
  },
}
