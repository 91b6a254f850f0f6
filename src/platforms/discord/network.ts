import type { Network } from '../contract/network.ts'
import { discord } from './limits.ts'

export const discordNetwork: Network = {
  name: 'Discord',
  limits: discord,
  adapter: async () => (await import('./adapter.ts')).createDiscordAdapter,
}
