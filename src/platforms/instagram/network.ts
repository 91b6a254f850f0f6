import type { Network } from '../contract/network.ts'
import { metaClientIds } from '../families/meta/client-ids.ts'
import { ERRORS } from '../families/meta/errors.ts'
import { instagramChanges } from './changes.ts'
import { instagramContent } from './content.ts'
import { instagram } from './limits.ts'
import { instagramMetrics } from './metrics.ts'
import { instagramAddresses } from './post-address.ts'

export const instagramNetwork: Network = {
  name: 'Instagram',
  limits: instagram,
  content: instagramContent,
  metrics: instagramMetrics,
  addresses: instagramAddresses,
  changes: instagramChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).instagramAdapter,
  clientIds: metaClientIds,
  tokens: { life: '60 days', refresh: 'yes' },
  isOfMeta: true,
}
