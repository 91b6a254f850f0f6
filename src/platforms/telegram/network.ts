import type { Network } from '../contract/network.ts'
import { telegramAdapter } from './adapter.ts'
import { telegram } from './limits.ts'

export const telegramNetwork: Network = {
  name: 'Telegram',
  limits: telegram,
  adapter: telegramAdapter,
}
