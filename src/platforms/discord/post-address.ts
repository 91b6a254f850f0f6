import type { PostAddresses } from '../contract/post-address.ts'

export const discordAddresses: PostAddresses = {
  form: 'https://discord.com/channels/SERVER/CHANNEL/ID',
  hosts: /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/,
  patterns: [/^[^/]+\/channels\/\d+\/\d+\/(?<id>\d{1,20})\/?(?:\?|$)/],
}
