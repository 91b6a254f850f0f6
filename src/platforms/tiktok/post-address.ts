import type { PostAddresses } from '../contract/post-address.ts'

/** The name is not compared: accounts without a scope for it are known by their display name. */
export const tiktokAddresses: PostAddresses = {
  form: 'https://www.tiktok.com/@NAME/video/ID',
  hosts: /^(?:(?:vm|vt)\.)?tiktok\.com$/,
  patterns: [/^[^/]+\/@[^/]+\/(?:video|photo)\/(?<id>\d{1,32})\/?(?:\?|$)/],
}
