import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const metrics: Source = {
  url: 'https://docs.x.com/x-api/fundamentals/metrics',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const pricing: Source = {
  url: 'https://docs.x.com/x-api/getting-started/pricing',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const xMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'like_count', source: metrics },
    { metric: 'comments', native: 'reply_count', source: metrics },
    { metric: 'reposts', native: 'retweet_count', source: metrics },
    { metric: 'quotes', native: 'quote_count', source: metrics },
    { metric: 'saves', native: 'bookmark_count', source: metrics },
    { metric: 'views', native: 'impression_count', source: metrics },
  ],
  postsPerCall: 100,
  price: { usdMicros: 5_000, source: pricing },
  note: 'X bills each post that is read once a UTC day.',
  source: {
    url: 'https://docs.x.com/x-api/posts/get-posts-by-ids',
    confidence: 'official',
    version: '2026-11',
    seenAt: '2026-11-26',
  },
}
