import type { Network } from '../contract/network.ts'
import { xContent } from './content.ts'
import { x } from './limits.ts'

export const xNetwork: Network = {
  name: 'X',
  limits: x,
  content: xContent,
  adapter: async () => (await import('./adapter.ts')).xAdapter,
  tokens: { life: '2 hours', refresh: 'yes' },
}
