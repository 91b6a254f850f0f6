import type { Wait } from '../contract/adapter.ts'

/** New preparations after those that failed for a passing reason, and the pause before each. */
const FAILURES_MAX = 2
const PAUSE_MS = 30_000

/** A part of the state that is stored with a delivery. */
export type Failures = {
  /** How many preparations failed or timed out before this one. */
  failures: number
}

/** Whether a new preparation follows one that failed for a passing reason. Earlier versions stored no count. */
export const mayBeginAgain = ({ failures = 0 }: Partial<Failures>): boolean => failures < FAILURES_MAX

/** The state of a new preparation, after one that failed. */
export const beginAgain = <State extends Failures>(
  fresh: State,
  { failures = 0 }: Partial<Failures>,
): { later: Wait<State> } => ({ later: { state: { ...fresh, failures: failures + 1 }, afterMs: PAUSE_MS } })
