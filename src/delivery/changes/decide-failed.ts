import { backoffMs, type Failure, restMs } from '../failures.ts'
import { FAILURES_MAX } from '../timing.ts'

/** The consequences of a call that has failed, after a number of failures in a row. */
export function decideFailed(before: number, reason: Failure, random: () => number = Math.random) {
  const { code, message, retryable, retryAfterMs = 0, needsAttention } = reason
  const failures = before + 1
  return {
    isRetried: retryable && failures < FAILURES_MAX,
    error: { code, message, retryable },
    failures,
    retryInMs: backoffMs(failures, reason, random),
    accountRestsMs: code === 'rate_limited' ? restMs(retryAfterMs) : 0,
    attention: needsAttention ? { code, message } : null,
  }
}
