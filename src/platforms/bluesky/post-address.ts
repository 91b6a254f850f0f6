import type { PostAddresses } from '../contract/post-address.ts'

export const blueskyAddresses: PostAddresses = {
  form: 'https://bsky.app/profile/HANDLE/post/ID',
  hosts: /^bsky\.app$/,
  patterns: [/^bsky\.app\/profile\/(?<owner>[^/]+)\/post\/(?<id>[\w.~:-]{1,512})\/?(?:\?|$)/],
  ownersOf: ({ username, externalId }) => [username, externalId],
  toId: (id, externalId) => `at://${externalId}/app.bsky.feed.post/${id}`,
}
