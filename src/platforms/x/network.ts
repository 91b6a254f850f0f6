import type { Network } from '../contract/network.ts'
import { xContent } from './content.ts'
import { x } from './limits.ts'
import { xMetrics } from './metrics.ts'

export const xNetwork: Network = {
  name: 'X',
  limits: x,
  content: xContent,
  metrics: xMetrics,
  adapter: async () => (await import('./adapter.ts')).xAdapter,
  tokens: { life: '2 hours', refresh: 'yes' },
}
