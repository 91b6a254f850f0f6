import type { PostAddresses } from '../contract/post-address.ts'

export const mastodonAddresses: PostAddresses = {
  form: 'https://INSTANCE/@NAME/ID',
  hosts: ({ username }) => username.slice(username.lastIndexOf('@') + 1),
  patterns: [
    /^[^/]+\/@(?<owner>[^/@]+)\/(?<id>\d{1,32})\/?(?:\?|$)/,
    /^[^/]+\/users\/(?<owner>[^/]+)\/statuses\/(?<id>\d{1,32})\/?(?:\?|$)/,
    // A post of another server, as this one shows it.
    /^[^/]+\/@(?<owner>[^/@]+@[^/]+)\/\d+/,
  ],
  ownersOf: ({ username }) => [username.slice(0, username.lastIndexOf('@')), username],
}
