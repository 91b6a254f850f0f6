import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const view: Source = {
  url: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/defs.json',
  confidence: 'official',
  version: '2026-08-20',
  seenAt: '2026-11-26',
}

export const blueskyMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'likeCount', source: view },
    { metric: 'comments', native: 'replyCount', source: view },
    { metric: 'reposts', native: 'repostCount', source: view },
    { metric: 'quotes', native: 'quoteCount', source: view },
    { metric: 'saves', native: 'bookmarkCount', source: view },
  ],
  postsPerCall: 25,
  source: {
    url: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/getPosts.json',
    confidence: 'official',
    version: '2026-08-20',
    seenAt: '2026-11-26',
  },
}
