import type { Network } from '../contract/network.ts'
import { metaClientIds } from '../families/meta/client-ids.ts'
import { facebookAppearance } from './appearance.ts'
import { facebookChanges } from './changes.ts'
import { facebookContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { facebook } from './limits.ts'
import { facebookMetrics } from './metrics.ts'

export const facebookNetwork: Network = {
  name: 'Facebook',
  limits: facebook,
  appearance: facebookAppearance,
  content: facebookContent,
  metrics: facebookMetrics,
  /** Newer addresses have a name and an id that begins with `pfbid`, which no call resolves. */
  addresses: {
    form: 'https://www.facebook.com/PAGE/posts/ID',
    hosts: /^(?:(?:business|web)\.)?facebook\.com$|^fb\.(?:com|watch)$/,
    patterns: [
      /^[^/]+\/(?<owner>\d{1,32})\/posts\/(?<id>\d{1,32})\/?(?:\?|$)/,
      /^[^/]+\/(?:permalink|story)\.php\?(?:[^#]*&)?story_fbid=(?<id>\d{1,32})&(?:[^#]*&)?id=(?<owner>\d{1,32})(?:&|$)/,
    ],
    ownersOf: ({ externalId }) => [externalId],
    toId: (id, externalId) => `${externalId}_${id}`,
  },
  changes: facebookChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).facebookAdapter,
  clientIds: metaClientIds,
  tokens: { life: 'no end', refresh: 'not needed' },
  isOfMeta: true,
}
