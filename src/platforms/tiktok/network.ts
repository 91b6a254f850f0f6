import type { Network } from '../contract/network.ts'
import { tiktokContent } from './content.ts'
import { tiktok } from './limits.ts'

export const tiktokNetwork: Network = {
  name: 'TikTok',
  limits: tiktok,
  content: tiktokContent,
  adapter: async () => (await import('./adapter.ts')).tiktokAdapter,
  tokens: { life: '2 hours', refresh: 'yes, for 180 days after each refresh' },
}
