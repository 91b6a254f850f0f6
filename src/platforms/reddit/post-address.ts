import type { PostAddresses } from '../contract/post-address.ts'

export const redditAddresses: PostAddresses = {
  form: 'https://www.reddit.com/r/SUBREDDIT/comments/ID',
  hosts: /^(?:(?:old|new|sh)\.)?reddit\.com$|^redd\.it$/,
  // A further part of the path is the id of a comment.
  patterns: [
    /^[^/]+\/(?:(?:r|u|user)\/[^/]+\/)?comments\/(?<id>[a-z0-9]{1,13})(?:\/[^/?]*)?\/?(?:\?|$)/,
    /^redd\.it\/(?<id>[a-z0-9]{1,13})\/?(?:\?|$)/,
  ],
  toId: (id) => `t3_${id}`,
}
