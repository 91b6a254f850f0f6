import type { Network } from '../contract/network.ts'
import { telegramContent } from './content.ts'
import { telegram } from './limits.ts'
import { telegramMetrics } from './metrics.ts'

export const telegramNetwork: Network = {
  name: 'Telegram',
  limits: telegram,
  content: telegramContent,
  metrics: telegramMetrics,
  adapter: async () => (await import('./adapter.ts')).telegramAdapter,
}
