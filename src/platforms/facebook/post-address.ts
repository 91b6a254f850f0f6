import type { PostAddresses } from '../contract/post-address.ts'

/** Newer addresses have a name and an id that begins with `pfbid`, which no call resolves. */
export const facebookAddresses: PostAddresses = {
  form: 'https://www.facebook.com/PAGE/posts/ID',
  hosts: /^(?:(?:business|web)\.)?facebook\.com$|^fb\.(?:com|watch)$/,
  patterns: [
    /^[^/]+\/(?<owner>\d{1,32})\/posts\/(?<id>\d{1,32})\/?(?:\?|$)/,
    /^[^/]+\/(?:permalink|story)\.php\?(?:[^#]*&)?story_fbid=(?<id>\d{1,32})&(?:[^#]*&)?id=(?<owner>\d{1,32})(?:&|$)/,
  ],
  ownersOf: ({ externalId }) => [externalId],
  toId: (id, externalId) => `${externalId}_${id}`,
}
