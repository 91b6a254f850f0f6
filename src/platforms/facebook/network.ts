import type { Network } from '../contract/network.ts'
import { facebook } from './limits.ts'

export const facebookNetwork: Network = {
  name: 'Facebook',
  limits: facebook,
  adapter: async () => (await import('./adapter.ts')).facebookAdapter,
  tokens: { life: 'no end', refresh: 'not needed' },
}
