import type { Network } from '../contract/network.ts'
import { metaClientIds } from '../families/meta/client-ids.ts'
import { facebookChanges } from './changes.ts'
import { facebookContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { facebook } from './limits.ts'
import { facebookMetrics } from './metrics.ts'
import { facebookAddresses } from './post-address.ts'

export const facebookNetwork: Network = {
  name: 'Facebook',
  limits: facebook,
  content: facebookContent,
  metrics: facebookMetrics,
  addresses: facebookAddresses,
  changes: facebookChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).facebookAdapter,
  clientIds: metaClientIds,
  tokens: { life: 'no end', refresh: 'not needed' },
  isOfMeta: true,
}
