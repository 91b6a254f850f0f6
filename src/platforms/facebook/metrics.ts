import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const post: Source = {
  url: 'https://developers.facebook.com/docs/graph-api/reference/page-post/',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const insights: Source = {
  url: 'https://developers.facebook.com/docs/graph-api/reference/insights/',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const facebookMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'reactions', source: post },
    { metric: 'comments', native: 'comments', source: post },
    { metric: 'shares', native: 'shares', source: post },
    { metric: 'views', native: 'post_media_view', scope: 'read_insights', source: insights },
    { metric: 'reach', native: 'post_total_media_view_unique', scope: 'read_insights', source: insights },
    { metric: 'clicks', native: 'post_clicks', scope: 'read_insights', source: insights },
  ],
  postsPerCall: 1,
  note: 'Facebook leaves shares out until somebody shares the post. The numbers of a video are those of the post that shows it, and may follow some minutes after publication.',
  source: post,
}
