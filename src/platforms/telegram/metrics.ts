import type { MetricRules } from '../contract/metrics.ts'

export const telegramMetrics: MetricRules = {
  offered: [],
  postsPerCall: 0,
  note: 'No method of the Bot API reads a message or its views.',
  source: {
    url: 'https://core.telegram.org/bots/api',
    confidence: 'official',
    version: '2026-11',
    seenAt: '2026-11-26',
  },
}
