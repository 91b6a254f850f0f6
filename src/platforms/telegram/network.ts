import type { Network } from '../contract/network.ts'
import { telegramChanges } from './changes.ts'
import { telegramContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { telegram } from './limits.ts'
import { telegramMetrics } from './metrics.ts'
import { telegramAddresses } from './post-address.ts'

export const telegramNetwork: Network = {
  name: 'Telegram',
  limits: telegram,
  content: telegramContent,
  metrics: telegramMetrics,
  addresses: telegramAddresses,
  changes: telegramChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).telegramAdapter,
}
