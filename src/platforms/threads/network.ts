import type { Network } from '../contract/network.ts'
import { threads } from './limits.ts'

export const threadsNetwork: Network = {
  name: 'Threads',
  limits: threads,
  adapter: async () => (await import('./adapter.ts')).threadsAdapter,
  tokens: { life: '60 days', refresh: 'yes' },
}
