import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const video: Source = {
  url: 'https://developers.tiktok.com/doc/tiktok-api-v2-video-object',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const scope = 'video.list'

export const tiktokMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'like_count', scope, source: video },
    { metric: 'comments', native: 'comment_count', scope, source: video },
    { metric: 'shares', native: 'share_count', scope, source: video },
    { metric: 'views', native: 'view_count', scope, source: video },
  ],
  postsPerCall: 20,
  hidesGone: true,
  note: 'TikTok tells them of public posts only.',
  source: {
    url: 'https://developers.tiktok.com/doc/tiktok-api-v2-video-query',
    confidence: 'official',
    version: '2026-11',
    seenAt: '2026-11-26',
  },
}
