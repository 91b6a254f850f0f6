import type { Network } from '../contract/network.ts'
import { discordChanges } from './changes.ts'
import { discordContent } from './content.ts'
import { discord } from './limits.ts'
import { discordMetrics } from './metrics.ts'

export const discordNetwork: Network = {
  name: 'Discord',
  limits: discord,
  content: discordContent,
  metrics: discordMetrics,
  changes: discordChanges,
  adapter: async () => (await import('./adapter.ts')).createDiscordAdapter,
}
