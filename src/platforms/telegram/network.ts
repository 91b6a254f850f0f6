import type { Network } from '../contract/network.ts'
import { telegram } from './limits.ts'

export const telegramNetwork: Network = {
  name: 'Telegram',
  limits: telegram,
  adapter: async () => (await import('./adapter.ts')).telegramAdapter,
}
