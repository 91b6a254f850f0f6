import type { Network } from '../contract/network.ts'
import { instagramAdapter } from './adapter.ts'
import { instagram } from './limits.ts'

export const instagramNetwork: Network = {
  name: 'Instagram',
  limits: instagram,
  adapter: instagramAdapter,
  tokens: { life: '60 days', refresh: 'yes' },
}
