import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const analytics: Source = {
  url: 'https://developers.pinterest.com/docs/api/v5/pins-analytics',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const pinterestMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'TOTAL_REACTIONS', source: analytics },
    { metric: 'comments', native: 'TOTAL_COMMENTS', source: analytics },
    { metric: 'saves', native: 'SAVE', source: analytics },
    { metric: 'views', native: 'IMPRESSION', source: analytics },
    { metric: 'clicks', native: 'PIN_CLICK', source: analytics },
  ],
  postsPerCall: 1,
  note: 'Pinterest tells them of business accounts, with a delay of up to two days. OUTBOUND_CLICK is among native.',
  source: analytics,
}
