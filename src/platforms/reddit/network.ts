import type { Network } from '../contract/network.ts'
import { redditAppearance } from './appearance.ts'
import { redditChanges } from './changes.ts'
import { redditContent } from './content.ts'
import { ERRORS } from './errors.ts'
import { reddit } from './limits.ts'
import { redditMetrics } from './metrics.ts'

export const redditNetwork: Network = {
  name: 'Reddit',
  limits: reddit,
  appearance: redditAppearance,
  content: redditContent,
  metrics: redditMetrics,
  addresses: {
    form: 'https://www.reddit.com/r/SUBREDDIT/comments/ID',
    hosts: /^(?:(?:old|new|sh)\.)?reddit\.com$|^redd\.it$/,
    // A further part of the path is the id of a comment.
    patterns: [
      /^[^/]+\/(?:(?:r|u|user)\/[^/]+\/)?comments\/(?<id>[a-z0-9]{1,13})(?:\/[^/?]*)?\/?(?:\?|$)/,
      /^redd\.it\/(?<id>[a-z0-9]{1,13})\/?(?:\?|$)/,
    ],
    toId: (id) => `t3_${id}`,
  },
  changes: redditChanges,
  errors: ERRORS,
  adapter: async () => (await import('./adapter.ts')).redditAdapter,
  tokens: { life: '24 hours', refresh: 'yes' },
}
