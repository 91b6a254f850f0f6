import type { PostAddresses } from '../contract/post-address.ts'

export const xAddresses: PostAddresses = {
  form: 'https://x.com/NAME/status/ID',
  hosts: /^(?:mobile\.)?(?:x|twitter)\.com$/,
  patterns: [
    /^[^/]+\/i\/(?:web\/)?status\/(?<id>\d{1,19})(?:[/?]|$)/,
    /^[^/]+\/(?<owner>\w{1,15})\/status(?:es)?\/(?<id>\d{1,19})(?:[/?]|$)/,
  ],
}
