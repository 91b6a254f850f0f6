import type { PostAddresses } from '../contract/post-address.ts'

/** The code in an address is no id of the API. */
export const instagramAddresses: PostAddresses = {
  form: 'https://www.instagram.com/p/CODE',
  hosts: /^(?:instagram\.com|instagr\.am)$/,
  patterns: [/^[^/]+\/stories\/(?<owner>[\w.]+)\//],
}
