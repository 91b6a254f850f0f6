import type { Network } from '../contract/network.ts'
import { xAppearance } from './appearance.ts'
import { xChanges } from './changes.ts'
import { xContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { limitsFor } from './facts.ts'
import { x } from './limits.ts'
import { xMetrics } from './metrics.ts'

export const xNetwork: Network = {
  name: 'X',
  limits: x,
  limitsFor,
  appearance: xAppearance,
  content: xContent,
  metrics: xMetrics,
  addresses: {
    form: 'https://x.com/NAME/status/ID',
    hosts: /^(?:mobile\.)?(?:x|twitter)\.com$/,
    patterns: [
      /^[^/]+\/i\/(?:web\/)?status\/(?<id>\d{1,19})(?:[/?]|$)/,
      /^[^/]+\/(?<owner>\w{1,15})\/status(?:es)?\/(?<id>\d{1,19})(?:[/?]|$)/,
    ],
  },
  changes: xChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).xAdapter,
  tokens: { life: '2 hours', refresh: 'yes' },
}
