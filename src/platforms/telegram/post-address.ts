import type { PostAddresses } from '../contract/post-address.ts'

export const telegramAddresses: PostAddresses = {
  form: 'https://t.me/CHANNEL/ID',
  hosts: /^(?:t|telegram)\.me$/,
  // The number between is that of a topic.
  patterns: [
    /^[^/]+\/c\/(?<owner>\d{1,32})\/(?:\d+\/)?(?<id>\d{1,16})\/?(?:\?|$)/,
    /^[^/]+\/(?:s\/)?(?<owner>\w{4,32})\/(?:\d+\/)?(?<id>\d{1,16})\/?(?:\?|$)/,
  ],
  ownersOf: ({ username, externalId }) => [username, externalId?.replace(/^-100/, '') ?? null],
}
