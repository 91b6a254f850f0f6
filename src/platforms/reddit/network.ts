import type { Network } from '../contract/network.ts'
import { reddit } from './limits.ts'

export const redditNetwork: Network = {
  name: 'Reddit',
  limits: reddit,
  adapter: async () => (await import('./adapter.ts')).redditAdapter,
  tokens: { life: '24 hours', refresh: 'yes' },
}
