import type { Network } from '../contract/network.ts'
import { combine, locateMentions } from '../rules/entities.ts'
import { findRemoteMentions } from '../rules/text-length.ts'
import { findUrls } from '../rules/urls.ts'
import { mastodonAppearance } from './appearance.ts'
import { mastodonChanges } from './changes.ts'
import { mastodonContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { mastodon } from './limits.ts'
import { mastodonMetrics } from './metrics.ts'
import { limitsFor } from './server-limits.ts'
import { SOFTWARE } from './software.ts'

export const mastodonNetwork: Network = {
  name: 'Mastodon',
  limits: mastodon,
  limitsFor,
  software: SOFTWARE,
  appearance: mastodonAppearance,
  content: mastodonContent,
  metrics: mastodonMetrics,
  /** The addresses of all software with Mastodon's API. Those of Friendica have another id than its API. */
  addresses: {
    form: 'https://INSTANCE/@NAME/ID',
    hosts: ({ username }) => username.slice(username.lastIndexOf('@') + 1),
    patterns: [
      /^[^/]+\/(?:deck\/)?@(?<owner>[^/@]+)\/(?<id>\d{1,32})\/?(?:\?|$)/,
      // GoToSocial: internal/uris/uri.go. Soapbox, a front end of Pleroma, has `posts`.
      /^[^/]+\/@(?<owner>[^/@]+)\/(?:statuses|posts)\/(?<id>[\w-]{1,64})\/?(?:\?|$)/,
      // Mastodon, `ap` since 4.5, and GoToSocial.
      /^[^/]+\/(?:ap\/)?users\/(?<owner>[^/]+)\/statuses\/(?<id>[\w-]{1,64})\/?(?:\?|$)/,
      // Pixelfed: app/Status.php.
      /^[^/]+\/p\/(?<owner>[^/]+)\/(?<id>\d{1,32})\/?(?:\?|$)/,
      // Pleroma and Akkoma: lib/pleroma/web/router.ex. Iceshrimp.NET and Sharkey have `notes`.
      /^[^/]+\/(?:notice|notes)\/(?<id>[\w-]{1,64})\/?(?:\?|$)/,
      // A post of another server, as this one shows it.
      /^[^/]+\/@(?<owner>[^/@]+@[^/]+)\/(?:\d+|(?:statuses|posts)\/[\w-]+)/,
    ],
    // Below `/ap/users/` is the id of the account.
    ownersOf: ({ username, externalId }) => [
      username.slice(0, username.lastIndexOf('@')),
      username,
      externalId?.slice(0, externalId.lastIndexOf('@')) ?? null,
    ],
  },
  changes: mastodonChanges,
  errors: ERRORS,
  loadEntityFinder: () => (text) =>
    combine(findUrls(text, 'mastodon'), text, [...findRemoteMentions(text), ...locateMentions(text)]),
  adapter: async () => (await import('./adapter.ts')).mastodonAdapter,
}
