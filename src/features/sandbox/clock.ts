import type { Db } from '../../../db/client.ts'
import { setClockTarget } from '../../../db/queries/sandbox-clocks.ts'
import type { PutSandboxClock, SandboxClock } from '../../../schemas/sandbox-clock.ts'
import { timeOf } from '../../../schemas/time.ts'
import { fail, invalidRequest } from '../../base/errors.ts'

/** Later times have five digits in their year after a pause of a delivery. */
const TARGET_END = Date.UTC(9999, 0)

/**
 * Lets workers move the clock of the user. Throws 409 if the user has other accounts than the sandbox's, and for a time
 * that has passed.
 */
export async function putClock(db: Db, userId: string, { now }: PutSandboxClock): Promise<SandboxClock> {
  const target = timeOf(now)
  if (target.getTime() >= TARGET_END) {
    throw invalidRequest([{ code: 'custom', path: ['now'], message: 'Must be before the year 9999' }])
  }
  const moved = await setClockTarget(db, { userId, target })
  if ('clock' in moved) return moved.clock
  if ('notBefore' in moved) throw fail('sandbox_clock_behind', moved.notBefore)
  if ('isEnding' in moved) throw fail('sandbox_clock_ending')
  if (!moved.other || moved.other.organizationId) throw fail('sandbox_only.organization')
  throw fail('sandbox_only', moved.other.username, moved.other.platform)
}
