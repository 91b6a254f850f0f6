import type { Network } from '../contract/network.ts'
import { sandboxChanges } from './changes.ts'
import { sandboxContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { sandbox } from './limits.ts'
import { sandboxMetrics } from './metrics.ts'

export const sandboxNetwork: Network = {
  name: 'Sandbox',
  limits: sandbox,
  content: sandboxContent,
  metrics: sandboxMetrics,
  changes: sandboxChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).createSandboxAdapter,
}
