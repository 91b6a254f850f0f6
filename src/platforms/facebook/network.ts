import type { Network } from '../contract/network.ts'
import { facebookAdapter } from './adapter.ts'
import { facebook } from './limits.ts'

export const facebookNetwork: Network = {
  name: 'Facebook',
  limits: facebook,
  adapter: facebookAdapter,
  tokens: { life: 'no end', refresh: 'not needed' },
}
