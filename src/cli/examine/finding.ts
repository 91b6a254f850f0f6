import { ConnectProblem } from '../../../db/connect-problem.ts'
import { withTimeout } from '../../base/with-timeout.ts'

/** The result of one check. */
export interface Finding {
  check: string
  /** `warning`: it will be wrong. */
  status: 'ok' | 'warning' | 'wrong' | 'skipped'
  message: string
  /** The advice to the operator. */
  mend?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
export const wrong = (check: string, message: string, mend: string): Finding => ({
  check,
  status: 'wrong',
  message,
  mend,
})
export const skipped = (check: string, message: string): Finding => ({ check, status: 'skipped', message })

/** Longer than the time limits of a statement and of the storage together. */
const CHECK_MS = 15_000

/**
 * Runs one check. An error, or no result in time, is a finding as well. After an error, the check runs once more: a
 * single one may be a timeout under load.
 */
export async function runCheck(
  check: string,
  mend: string,
  work: () => Promise<Finding>,
  limitMs = CHECK_MS,
): Promise<Finding> {
  try {
    return await withTimeout(
      limitMs,
      work().catch(work),
      () => new Error(`there was no result within ${limitMs / 1000} s`),
    )
  } catch (error) {
    if (error instanceof ConnectProblem) return wrong(check, error.problem, error.mend)
    const { message, code } = error as { message: string; code?: string }
    return wrong(check, message || code || String(error), mend)
  }
}
