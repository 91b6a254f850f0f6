import type { Network } from '../contract/network.ts'
import { createDiscordAdapter } from './adapter.ts'
import { discord } from './limits.ts'

export const discordNetwork: Network = {
  name: 'Discord',
  limits: discord,
  adapter: createDiscordAdapter,
}
