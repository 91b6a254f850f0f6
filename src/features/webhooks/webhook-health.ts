import type { ClaimedWebhook } from '../../../db/queries/webhooks/claim.ts'
import type { ReleasedWebhook } from '../../../db/queries/webhooks/settle.ts'
import { DISABLED_AFTER_FAILURES, DISABLED_AFTER_MS, REST_MAX_MS, REST_MS, SLOW_MS, WARNED_AFTER_MS } from './timing.ts'

/** The condition of a webhook, judged by its attempts. */
export interface Health
  extends Pick<ClaimedWebhook, 'failingSince' | 'failures' | 'warnings' | 'healthyAt' | 'isSlow'>,
    Pick<ReleasedWebhook, 'restMs' | 'disabledReason' | 'event'> {}

/** An attempt that has ended. */
export interface Result {
  endedAt: Date
  durationMs: number
  /** When the delivery was queued. */
  queuedAt: Date
  isSuccess: boolean
  /** Whether the receiver responded 410. */
  isGone: boolean
  retryAfterMs: number | null
}

/** The health of a webhook that was claimed, before any attempt. */
export const healthOf = ({ failingSince, failures, warnings, healthyAt, isSlow }: ClaimedWebhook): Health => ({
  failingSince,
  failures,
  warnings,
  healthyAt,
  isSlow,
  restMs: null,
  disabledReason: null,
  event: null,
})

/** The health after one more attempt. */
export function healthAfter(before: Health, result: Result): Health {
  const isSlow = result.durationMs > SLOW_MS
  if (result.isSuccess) {
    return {
      failingSince: null,
      failures: 0,
      warnings: 0,
      healthyAt: result.endedAt,
      isSlow,
      restMs: null,
      disabledReason: before.disabledReason,
      event: before.event,
    }
  }
  const failures = before.failures + 1
  const failingSince = earliest(before.failingSince, latest(result.queuedAt, before.healthyAt))
  const restMs = Math.max(Math.min(REST_MS * 2 ** (failures - 1), REST_MAX_MS), result.retryAfterMs ?? 0)
  const after = { ...before, failingSince, failures, isSlow, restMs }
  return announce(after, failingSince, result)
}

/** Disables a webhook, or warns its owner, where it is time to. */
function announce(health: Health, failingSince: Date, { endedAt, isGone }: Result): Health {
  const failingMs = endedAt.getTime() - failingSince.getTime()
  const isFailing = failingMs >= DISABLED_AFTER_MS && health.failures >= DISABLED_AFTER_FAILURES
  const reason = isGone ? 'gone' : isFailing ? 'failing' : null
  const since = failingSince.toISOString()
  if (reason) {
    const event = { type: 'webhook.disabled' as const, data: { failingSince: since, reason } }
    return { ...health, disabledReason: reason, event }
  }
  const warnings = WARNED_AFTER_MS.filter((ms) => failingMs >= ms).length
  if (warnings <= health.warnings) return health
  const disabledFrom = new Date(Math.max(failingSince.getTime() + DISABLED_AFTER_MS, endedAt.getTime())).toISOString()
  return { ...health, warnings, event: { type: 'webhook.failing', data: { failingSince: since, disabledFrom } } }
}

const latest = (a: Date, b: Date | null) => (b && b > a ? b : a)
const earliest = (a: Date | null, b: Date) => (a && a < b ? a : b)
