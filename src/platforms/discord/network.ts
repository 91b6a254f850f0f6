import type { Network } from '../contract/network.ts'
import { discordContent } from './content.ts'
import { discord } from './limits.ts'

export const discordNetwork: Network = {
  name: 'Discord',
  limits: discord,
  content: discordContent,
  adapter: async () => (await import('./adapter.ts')).createDiscordAdapter,
}
