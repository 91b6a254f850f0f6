import type { Network } from '../contract/network.ts'
import { metaClientIds } from '../families/meta/client-ids.ts'
import { facebookChanges } from './changes.ts'
import { facebookContent } from './content.ts'
import { facebook } from './limits.ts'
import { facebookMetrics } from './metrics.ts'

export const facebookNetwork: Network = {
  name: 'Facebook',
  limits: facebook,
  content: facebookContent,
  metrics: facebookMetrics,
  changes: facebookChanges,
  adapter: async () => (await import('./adapter.ts')).facebookAdapter,
  clientIds: metaClientIds,
  tokens: { life: 'no end', refresh: 'not needed' },
  isOfMeta: true,
}
