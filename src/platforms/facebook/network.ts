import type { Network } from '../contract/network.ts'
import { metaClientIds } from '../families/meta/client-ids.ts'
import { facebookContent } from './content.ts'
import { facebook } from './limits.ts'
import { facebookMetrics } from './metrics.ts'

export const facebookNetwork: Network = {
  name: 'Facebook',
  limits: facebook,
  content: facebookContent,
  metrics: facebookMetrics,
  adapter: async () => (await import('./adapter.ts')).facebookAdapter,
  clientIds: metaClientIds,
  tokens: { life: 'no end', refresh: 'not needed' },
  isOfMeta: true,
}
