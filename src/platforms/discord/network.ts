import type { Network } from '../contract/network.ts'
import { discordChanges } from './changes.ts'
import { discordContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { discord } from './limits.ts'
import { discordMetrics } from './metrics.ts'
import { discordAddresses } from './post-address.ts'

export const discordNetwork: Network = {
  name: 'Discord',
  limits: discord,
  content: discordContent,
  metrics: discordMetrics,
  addresses: discordAddresses,
  changes: discordChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).createDiscordAdapter,
}
