import type { Network } from '../contract/network.ts'
import { pinterestAdapter } from './adapter.ts'
import { pinterest } from './limits.ts'

export const pinterestNetwork: Network = {
  name: 'Pinterest',
  limits: pinterest,
  adapter: pinterestAdapter,
  tokens: { life: '30 days', refresh: 'yes' },
}
