import type { PostAddresses } from '../contract/post-address.ts'

export const pinterestAddresses: PostAddresses = {
  form: 'https://www.pinterest.com/pin/ID',
  // Every country has a domain or a subdomain.
  hosts: /^(?:[a-z]{2}\.)?pinterest\.(?:(?:com?\.)?[a-z]{2}|com)$|^pin\.it$/,
  patterns: [/^[^/]+\/pin\/(?:[^/]*--)?(?<id>\d{1,32})(?:[/?]|$)/],
}
