import type { Network } from '../contract/network.ts'
import { tiktokAdapter } from './adapter.ts'
import { tiktok } from './limits.ts'

export const tiktokNetwork: Network = {
  name: 'TikTok',
  limits: tiktok,
  adapter: tiktokAdapter,
  tokens: { life: '2 hours', refresh: 'yes, for 180 days after each refresh' },
}
