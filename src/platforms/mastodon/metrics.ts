import type { MetricRules } from '../contract/metrics.ts'
import type { Source } from '../contract/source.ts'

const status: Source = {
  url: 'https://docs.joinmastodon.org/entities/Status/',
  confidence: 'official',
  version: '2026-11',
  seenAt: '2026-11-26',
}

export const mastodonMetrics: MetricRules = {
  offered: [
    { metric: 'likes', native: 'favourites_count', source: status },
    { metric: 'comments', native: 'replies_count', source: status },
    { metric: 'reposts', native: 'reblogs_count', source: status },
    { metric: 'quotes', native: 'quotes_count', source: status },
  ],
  // DEFAULT_STATUSES_LIMIT, which check_statuses_limit of statuses_controller.rb enforces.
  postsPerCall: 20,
  note: 'The numbers are those that the account’s own server knows. Servers before Mastodon 4.5 do not count quotes.',
  source: {
    url: 'https://github.com/mastodon/mastodon/blob/main/app/controllers/api/base_controller.rb',
    confidence: 'official',
    version: '4.5.3',
    seenAt: '2026-11-26',
  },
}
