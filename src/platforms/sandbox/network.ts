import type { Network } from '../contract/network.ts'
import { xAppearance } from '../x/appearance.ts'
import { sandboxContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { sandbox } from './limits.ts'

export const sandboxNetwork: Network = {
  name: 'Sandbox',
  limits: sandbox,
  isSimulated: true,
  appearance: xAppearance,
  content: sandboxContent,
  metrics: {
    offered: [],
    postsPerCall: 0,
    note: 'Nobody sees the posts of the sandbox.',
  },
  changes: {
    remove: { possible: true, confirmedBy: 'response' },
    edit: { possible: true, what: ['text'], keepsId: true },
  },
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).createSandboxAdapter,
}
