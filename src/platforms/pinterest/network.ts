import type { Network } from '../contract/network.ts'
import { pinterestAppearance } from './appearance.ts'
import { pinterestChanges } from './changes.ts'
import { pinterestContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { pinterest } from './limits.ts'
import { pinterestMetrics } from './metrics.ts'

export const pinterestNetwork: Network = {
  name: 'Pinterest',
  limits: pinterest,
  appearance: pinterestAppearance,
  content: pinterestContent,
  metrics: pinterestMetrics,
  addresses: {
    form: 'https://www.pinterest.com/pin/ID',
    // Every country has a domain or a subdomain.
    hosts: /^(?:[a-z]{2}\.)?pinterest\.(?:(?:com?\.)?[a-z]{2}|com)$|^pin\.it$/,
    patterns: [/^[^/]+\/pin\/(?:[^/]*--)?(?<id>\d{1,32})(?:[/?]|$)/],
  },
  changes: pinterestChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).pinterestAdapter,
  tokens: { life: '30 days', refresh: 'yes' },
}
