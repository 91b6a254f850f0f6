import { setTimeout as sleep } from 'node:timers/promises'

/** The result of one check. */
export interface Finding {
  check: string
  status: 'ok' | 'wrong' | 'skipped'
  message: string
  /** What the operator can do. */
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

/** Runs one check. An error, or no result in time, is a finding as well. */
export async function runCheck(
  check: string,
  mend: string,
  work: () => Promise<Finding>,
  limitMs = CHECK_MS,
): Promise<Finding> {
  const over = new AbortController()
  const late = sleep(limitMs, wrong(check, `there was no result within ${limitMs / 1000} s`, mend), {
    signal: over.signal,
  })
  // The abort below rejects it, when nobody waits for it any more.
  late.catch(() => {})
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    return wrong(check, message || code || String(error), mend)
  } finally {
    over.abort()
  }
}
