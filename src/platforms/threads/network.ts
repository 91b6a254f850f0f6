import type { Network } from '../contract/network.ts'
import { metaClientIds } from '../families/meta/client-ids.ts'
import { ERRORS } from '../families/meta/errors.ts'
import { threadsAppearance } from './appearance.ts'
import { threadsChanges } from './changes.ts'
import { threadsContent } from './content.ts'
import { threads } from './limits.ts'
import { threadsMetrics } from './metrics.ts'

export const threadsNetwork: Network = {
  name: 'Threads',
  limits: threads,
  appearance: threadsAppearance,
  content: threadsContent,
  metrics: threadsMetrics,
  /** The code in an address is no id of the API. */
  addresses: {
    form: 'https://www.threads.com/@NAME/post/CODE',
    hosts: /^threads\.(?:com|net)$/,
    patterns: [/^[^/]+\/@(?<owner>[\w.]+)\/post\//],
  },
  changes: threadsChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).threadsAdapter,
  clientIds: metaClientIds,
  tokens: { life: '60 days', refresh: 'yes' },
  isOfMeta: true,
}
