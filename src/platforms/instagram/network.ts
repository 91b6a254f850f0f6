import type { Network } from '../contract/network.ts'
import { instagram } from './limits.ts'

export const instagramNetwork: Network = {
  name: 'Instagram',
  limits: instagram,
  adapter: async () => (await import('./adapter.ts')).instagramAdapter,
  tokens: { life: '60 days', refresh: 'yes' },
}
