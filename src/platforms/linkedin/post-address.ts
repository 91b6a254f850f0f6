import type { PostAddresses } from '../contract/post-address.ts'

/** Most addresses have the id of an activity, which no call resolves. */
export const linkedinAddresses: PostAddresses = {
  form: 'https://www.linkedin.com/feed/update/urn:li:share:ID',
  hosts: /^(?:[a-z]{2}\.)?linkedin\.com$|^lnkd\.in$/,
  patterns: [/^[^/]+\/feed\/update\/(?<id>urn:li:(?:share|ugcPost):\d{1,32})\/?(?:\?|$)/],
}
