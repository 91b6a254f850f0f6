import type { Network } from '../contract/network.ts'
import { sandbox } from './limits.ts'

export const sandboxNetwork: Network = {
  name: 'Sandbox',
  limits: sandbox,
  adapter: async () => (await import('./adapter.ts')).createSandboxAdapter,
}
