import type { Network } from '../contract/network.ts'
import { discordAppearance } from './appearance.ts'
import { discordChanges } from './changes.ts'
import { discordContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { discord } from './limits.ts'
import { discordMetrics } from './metrics.ts'

export const discordNetwork: Network = {
  name: 'Discord',
  limits: discord,
  appearance: discordAppearance,
  content: discordContent,
  metrics: discordMetrics,
  addresses: {
    form: 'https://discord.com/channels/SERVER/CHANNEL/ID',
    hosts: /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/,
    patterns: [/^[^/]+\/channels\/\d+\/\d+\/(?<id>\d{1,20})\/?(?:\?|$)/],
  },
  changes: discordChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).createDiscordAdapter,
}
