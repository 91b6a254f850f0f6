import type { Network } from '../contract/network.ts'
import { threadsAdapter } from './adapter.ts'
import { threads } from './limits.ts'

export const threadsNetwork: Network = {
  name: 'Threads',
  limits: threads,
  adapter: threadsAdapter,
  tokens: { life: '60 days', refresh: 'yes' },
}
