import type { Network } from '../contract/network.ts'
import { sandboxContent } from './content.ts'
import { sandbox } from './limits.ts'

export const sandboxNetwork: Network = {
  name: 'Sandbox',
  limits: sandbox,
  content: sandboxContent,
  adapter: async () => (await import('./adapter.ts')).createSandboxAdapter,
}
