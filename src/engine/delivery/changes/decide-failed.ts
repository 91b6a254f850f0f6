import type { Payment } from '../../../../db/queries/delivery/settle-change.ts'
import { accountRestMs, backoffMs, type Failure, isOfApp } from '../failures.ts'
import { CALL_IN_FLIGHT_MAX_MS, FAILURES_MAX } from '../timing.ts'

interface Before {
  /** Failures in a row. */
  failures: number
  /** The price of an earlier call is reserved, whose outcome is unknown. */
  isReserved: boolean
}

/** The consequences of a call that has failed, or was not made. */
export function decideFailed(before: Before, reason: Failure, random: () => number = Math.random) {
  const { code, message, retryable, needsAttention, maybeSent } = reason
  const failures = before.failures + (isOfApp(reason) ? 0 : 1)
  const isRetried = retryable && failures < FAILURES_MAX
  const mayBeOwed: Payment = isRetried ? 'kept' : 'spent'
  return {
    isRetried,
    payment: before.isReserved || maybeSent ? mayBeOwed : ('returned' as const),
    error: { code, message, retryable },
    failures,
    // The same call again may undo a later change, or publish an edit twice, while the first may arrive.
    retryInMs: Math.max(maybeSent ? CALL_IN_FLIGHT_MAX_MS : 0, backoffMs(failures, reason, random)),
    isLost: maybeSent,
    accountRestsMs: accountRestMs(reason),
    attention: needsAttention ? { code, message } : null,
  }
}
