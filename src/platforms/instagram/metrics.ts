import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const media: Source = {
  url: 'https://developers.facebook.com/docs/instagram-platform/reference/instagram-media',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const insights: Source = {
  url: 'https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/insights',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const scope = 'instagram_business_manage_insights'

export const instagramMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'like_count', source: media },
    { metric: 'comments', native: 'comments_count', source: media },
    { metric: 'shares', native: 'shares', scope, source: insights },
    { metric: 'saves', native: 'saved', scope, source: insights },
    { metric: 'views', native: 'views', scope, source: insights },
    { metric: 'reach', native: 'reach', scope, source: insights },
  ],
  postsPerCall: 1,
  note: 'Those of a story can be read for 24 hours. An account may hide its likes: the number is then not_offered.',
  source: media,
}
