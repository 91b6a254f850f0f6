import type { Network } from '../contract/network.ts'
import { metaClientIds } from '../families/meta/client-ids.ts'
import { ERRORS } from '../families/meta/errors.ts'
import { instagramAppearance } from './appearance.ts'
import { instagramChanges } from './changes.ts'
import { instagramContent } from './content.ts'
import { instagram } from './limits.ts'
import { instagramMetrics } from './metrics.ts'

export const instagramNetwork: Network = {
  name: 'Instagram',
  limits: instagram,
  appearance: instagramAppearance,
  content: instagramContent,
  metrics: instagramMetrics,
  /** The code in an address is no id of the API. */
  addresses: {
    form: 'https://www.instagram.com/p/CODE',
    hosts: /^(?:instagram\.com|instagr\.am)$/,
    patterns: [/^[^/]+\/stories\/(?<owner>[\w.]+)\//],
  },
  changes: instagramChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).instagramAdapter,
  clientIds: metaClientIds,
  tokens: { life: '60 days', refresh: 'yes' },
  isOfMeta: true,
}
