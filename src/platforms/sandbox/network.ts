import type { Network } from '../contract/network.ts'
import { createSandboxAdapter } from './adapter.ts'
import { sandbox } from './limits.ts'

export const sandboxNetwork: Network = {
  name: 'Sandbox',
  limits: sandbox,
  adapter: createSandboxAdapter,
}
