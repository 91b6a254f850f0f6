import type { RemovalSettlement } from '../../../../db/queries/delivery/removals.ts'
import type { Failure } from '../failures.ts'
import { afterNotRemoved, afterRemoved } from '../machine.ts'
import { decideFailed } from './decide-failed.ts'

export type RemovalDecision = Omit<RemovalSettlement, 'now'>

const unchanged = {
  removed: [],
  keepsLease: false,
  payment: 'spent' as const,
  error: null,
  failures: 0,
  retryInMs: 0,
  accountRestsMs: 0,
  attention: null,
}

/** The consequences of an act that is gone, with `others` to go. The act is null if all were gone before. */
export const decideRemoved = (act: number | null, others: number): RemovalDecision => ({
  ...unchanged,
  state: afterRemoved(others === 0),
  removed: act === null ? [] : [act],
  keepsLease: others > 0,
})

/** The consequences of an act that could not be removed. */
export function decideNotRemoved(
  before: Parameters<typeof decideFailed>[0],
  reason: Failure,
  random?: () => number,
): RemovalDecision {
  const { isRetried, isLost: _, ...failed } = decideFailed(before, reason, random)
  return { ...unchanged, ...failed, state: afterNotRemoved(isRetried) }
}
