import type { PostAddresses } from '../contract/post-address.ts'

export const youtubeAddresses: PostAddresses = {
  form: 'https://www.youtube.com/watch?v=ID',
  hosts: /^(?:(?:music\.|studio\.)?youtube\.com|youtu\.be)$/,
  patterns: [
    /^youtube\.com\/watch\?(?:[^#]*&)?v=(?<id>[\w-]{11})(?:&|$)/,
    /^(?:youtube\.com\/(?:shorts|live|embed)|studio\.youtube\.com\/video|youtu\.be)\/(?<id>[\w-]{11})(?:[/?]|$)/,
  ],
}
