import type { Network } from '../contract/network.ts'
import { linkedinAdapter } from './adapter.ts'
import { linkedin } from './limits.ts'

export const linkedinNetwork: Network = {
  name: 'LinkedIn',
  limits: linkedin,
  adapter: linkedinAdapter,
}
