import type { Deps } from './deps.ts'
import { DATABASE_ATTEMPTS_MAX, DATABASE_RETRY_MS } from './timing.ts'

/**
 * Repeats `work` after any error, or after those for which `isRepeatable` returns true: no other worker knows the
 * outcome. Repeating is safe, because a commit whose response was lost has ended the lease or changed the row that the
 * statement selects.
 */
export async function untilStored<T>(
  { pause, log }: Deps,
  work: () => Promise<T>,
  isRepeatable: (error: unknown) => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === DATABASE_ATTEMPTS_MAX || !isRepeatable(error)) throw error
      log.error({ err: error }, 'a statement failed, and is repeated')
      await pause(DATABASE_RETRY_MS)
    }
  }
}
