import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const info: Source = {
  url: 'https://www.reddit.com/dev/api#GET_api_info',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

const fields: Source = {
  url: 'https://github.com/reddit-archive/reddit/wiki/JSON',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const redditMetrics: MetricRules = {
  offered: [
    { metric: 'comments', native: 'num_comments', scope: 'read', source: fields },
    { metric: 'reposts', native: 'num_crossposts', scope: 'read', source: info },
    { metric: 'score', native: 'score', scope: 'read', source: fields },
  ],
  postsPerCall: 100,
  note: 'Reddit changes scores a little, so that nobody can tell whether a vote counted.',
  source: info,
}
