import type { Log } from './log.ts'

const RETRY_MS = 1_000
const ATTEMPTS_MAX = 300

/**
 * Repeats a statement for five minutes after any error, or after those for which `isRepeatable` returns true: no other
 * process knows what it commits. Repeating must be safe: a commit whose response was lost has to change what the
 * statement selects.
 */
export async function untilStored<T>(
  { pause, log }: { pause(ms: number): Promise<unknown>; log: Pick<Log, 'error'> },
  work: () => Promise<T>,
  isRepeatable: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isRepeatable(error)) throw error
      log.error({ err: error }, 'a statement failed, and is repeated')
      await pause(RETRY_MS)
    }
  }
}
