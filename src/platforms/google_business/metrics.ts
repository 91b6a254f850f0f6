import type { MetricRules } from '../contract/metrics.ts'

export const googleBusinessMetrics: MetricRules = {
  offered: [],
  postsPerCall: 1,
  tellsPresence: true,
  note: 'Google has told no numbers of single posts since 2023-02-20.',
  source: {
    url: 'https://developers.google.com/my-business/content/sunset-dates',
    confidence: 'official',
    version: '2026-11',
    seenAt: '2026-11-26',
  },
}
