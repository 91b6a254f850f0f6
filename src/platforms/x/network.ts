import type { Network } from '../contract/network.ts'
import { xAdapter } from './adapter.ts'
import { x } from './limits.ts'

export const xNetwork: Network = {
  name: 'X',
  limits: x,
  adapter: xAdapter,
  tokens: { life: '2 hours', refresh: 'yes' },
}
