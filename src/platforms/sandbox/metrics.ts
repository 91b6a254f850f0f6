import type { MetricRules } from '../contract/metrics.ts'

export const sandboxMetrics: MetricRules = {
  offered: [],
  postsPerCall: 0,
  note: 'Nobody sees the posts of the sandbox.',
}
