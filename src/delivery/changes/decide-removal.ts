import type { RemovalSettlement } from '../../../db/queries/delivery/removals.ts'
import { backoffMs, type Failure, restMs } from '../failures.ts'
import { afterNotRemoved, afterRemoved } from '../machine.ts'
import { FAILURES_MAX } from '../timing.ts'

export type RemovalDecision = Omit<RemovalSettlement, 'now'>

const unchanged = {
  removed: [],
  keepsLease: false,
  error: null,
  failures: 0,
  retryInMs: 0,
  accountRestsMs: 0,
  attention: null,
}

/** The consequences of an act that is gone, with `others` still on the network. */
export const decideRemoved = (act: number, others: number): RemovalDecision => ({
  ...unchanged,
  state: afterRemoved(others === 0),
  removed: [act],
  keepsLease: others > 0,
})

/** The consequences of an act that could not be removed, after a number of failures in a row. */
export function decideNotRemoved(before: number, reason: Failure, random: () => number = Math.random): RemovalDecision {
  const { code, message, retryable, retryAfterMs = 0, needsAttention } = reason
  const failures = before + 1
  const isRetried = retryable && failures < FAILURES_MAX
  return {
    ...unchanged,
    state: afterNotRemoved(isRetried),
    error: { code, message, retryable },
    failures,
    retryInMs: backoffMs(failures, reason, random),
    accountRestsMs: code === 'rate_limited' ? restMs(retryAfterMs) : 0,
    attention: needsAttention ? { code, message } : null,
  }
}
