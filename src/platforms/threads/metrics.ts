import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const insights: Source = {
  url: 'https://developers.facebook.com/docs/threads/insights',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const scope = 'threads_manage_insights'

export const threadsMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'likes', scope, source: insights },
    { metric: 'comments', native: 'replies', scope, source: insights },
    { metric: 'reposts', native: 'reposts', scope, source: insights },
    { metric: 'quotes', native: 'quotes', scope, source: insights },
    { metric: 'shares', native: 'shares', scope, source: insights },
    { metric: 'views', native: 'views', scope, source: insights },
  ],
  postsPerCall: 1,
  // https://developers.facebook.com/docs/threads/threads-media: threads_basic is the only scope of posts.
  tellsPresence: true,
  note: 'Replies to replies are not counted. Threads calls its views a metric in development.',
  source: insights,
}
