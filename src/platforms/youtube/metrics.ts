import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const videos: Source = {
  url: 'https://developers.google.com/youtube/v3/docs/videos',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const youtubeMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'likeCount', source: videos },
    { metric: 'comments', native: 'commentCount', source: videos },
    { metric: 'views', native: 'viewCount', source: videos },
  ],
  postsPerCall: 50,
  // A third of the 10,000 units that a project has for everything but uploads.
  callsPerDayMax: 3_300,
  note: 'A channel may hide its likes or turn comments off: the number is then not_offered. One call is one unit of the quota.',
  source: {
    url: 'https://developers.google.com/youtube/v3/determine_quota_cost',
    confidence: 'official',
    version: '2026-06-03',
    seenAt: '2026-11-26',
  },
}
