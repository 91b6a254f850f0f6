import type { Network } from '../contract/network.ts'
import { redditAdapter } from './adapter.ts'
import { reddit } from './limits.ts'

export const redditNetwork: Network = {
  name: 'Reddit',
  limits: reddit,
  adapter: redditAdapter,
  tokens: { life: '24 hours', refresh: 'yes' },
}
