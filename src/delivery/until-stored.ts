import type { Deps } from './deps.ts'
import { DATABASE_ATTEMPTS_MAX, DATABASE_RETRY_MS } from './timing.ts'

/**
 * Repeats `work` while the database does not respond: no other worker knows what is to be committed. Repeating is safe,
 * because a commit whose response was lost has ended the lease or changed the row that the statement selects.
 * `isRepeatable` names the errors after which that holds.
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
      log.error({ err: error }, 'the database does not respond')
      await pause(DATABASE_RETRY_MS)
    }
  }
}
