import type { PostAddresses } from '../contract/post-address.ts'

/** The addresses of all software with Mastodon's API. Those of Friendica have another id than its API. */
export const mastodonAddresses: PostAddresses = {
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
}
