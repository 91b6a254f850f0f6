import type { DeliveryMetricsRow } from '../../../db/queries/numbers/find.ts'
import type { DeliveryCheck } from '../../../schemas/delivery-check.ts'
import { METRIC_NAMES, type Metric, type MetricReason } from '../../../schemas/metric-names.ts'
import type { DeliveryMetrics, MetricValues, UnavailableMetric } from '../../../schemas/metrics.ts'
import type { MetricRule } from '../../platforms/contract/metrics.ts'
import { NETWORKS } from '../../platforms/networks.ts'
import { offeredTo } from '../../platforms/offered-metrics.ts'
import { isGranted, type MetricsMode } from './mode.ts'
import { ENDS_AFTER_MS } from './timing.ts'

interface View {
  mode: MetricsMode
  /** Milliseconds since 1970. */
  now: number
}

/** The numbers of a delivery as the API shows them. */
export function describeMetrics(row: DeliveryMetricsRow, view: View, withHistory: boolean): DeliveryMetrics {
  const { postId, accountId, platform, state, publishedAt, fetchedAt, nextFetchAt, goneAt, error } = row
  const rules = new Map(offeredTo(row).map((rule) => [rule.metric, rule]))
  const counts = row.counts ?? {}
  const values = valuesOf(rules, counts)
  const unavailable = METRIC_NAMES.filter((metric) => values[metric] === null).map((metric) =>
    explain(metric, rules.get(metric), row, view),
  )
  return {
    postId,
    accountId,
    platform,
    state,
    publishedAt,
    fetchedAt,
    nextFetchAt,
    goneAt,
    values,
    native: counts,
    unavailable,
    error,
    ...(withHistory && { history: row.points.map(({ day, counts }) => ({ day, values: valuesOf(rules, counts) })) }),
  }
}

/** Whether the network shows the post of a delivery, as the last reading has found out. */
export function describePresence(row: DeliveryMetricsRow): DeliveryCheck {
  const { postId, accountId, platform, checkedAt, goneAt, error } = row
  return { postId, accountId, platform, result: resultOf(row), checkedAt, goneAt, error }
}

function resultOf({
  platform,
  checkedAt,
  unseenAt,
  goneAt,
  counts,
  error,
}: DeliveryMetricsRow): DeliveryCheck['result'] {
  if (error || checkedAt === null) return 'unknown'
  if (goneAt !== null) return 'gone'
  if (unseenAt !== null) return 'not_shown'
  return NETWORKS[platform].metrics.hidesGone && Object.keys(counts ?? {}).length === 0 ? 'unknown' : 'shown'
}

type Rules = ReadonlyMap<Metric, MetricRule>

const valuesOf = (rules: Rules, counts: Record<string, number>): MetricValues =>
  Object.fromEntries(
    METRIC_NAMES.map((metric) => [metric, counts[rules.get(metric)?.native ?? ''] ?? null]),
  ) as MetricValues

function explain(metric: Metric, rule: MetricRule | undefined, row: DeliveryMetricsRow, view: View): UnavailableMetric {
  if (!rule) return { metric, reason: 'not_offered' }
  if (row.publishedAt === null) return { metric, reason: 'not_published' }
  if (!row.hasId) return { metric, reason: 'no_id' }
  if (NETWORKS[row.platform].metrics.price && view.mode !== 'paid') return { metric, reason: 'costs' }
  if (!isGranted(rule, row)) return { metric, reason: 'scope_missing', scope: rule.scope! }
  return { metric, reason: reasonOf(rule.native, row, view) }
}

function reasonOf(
  native: string,
  { missing, fetchedAt, publishedAt, unseenAt, goneAt, state, error, isConnected }: DeliveryMetricsRow,
  { mode, now }: View,
): MetricReason {
  const told = missing?.[native] as MetricReason | undefined
  // The scope was granted after the last reading.
  if (told === 'scope_missing') return 'not_read'
  if (fetchedAt !== null) return told ?? 'not_offered'
  if (state === 'removed' || (unseenAt ?? goneAt) !== null) return 'gone'
  if (!isConnected) return 'not_connected'
  if (error?.code === ('too_old' satisfies MetricReason)) return 'too_old'
  if (error?.code === 'budget_used_up') return 'costs'
  if (error) return 'network_error'
  if (mode === 'off') return 'metrics_off'
  return now - Date.parse(publishedAt!) < ENDS_AFTER_MS ? 'not_read' : 'too_old'
}
