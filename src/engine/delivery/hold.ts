import type { Db } from '../../../db/client.ts'
import { countDueIn, holdDeliveries as hold, releaseDeliveries as release } from '../../../db/queries/delivery/hold.ts'
import { CLAIMED, END_HOLD, HOLD } from './machine.ts'

const HELD = {
  code: 'held',
  message: 'The operator of the service holds this back: it is not sent until it is released or retried',
  retryable: true,
}

/** Also what `restore finish` did not send. */
const RELEASED = [HELD.code, 'restored']

/**
 * Holds queued deliveries that are due before `dueBefore`. Returns their number, and the number of those that a worker
 * is sending at the moment, which are not held.
 */
export async function holdDeliveries(db: Db, dueBefore: Date): Promise<{ held: number; publishing: number }> {
  const held = await hold(db, { ...HOLD, dueBefore, error: HELD })
  return { held, publishing: await countDueIn(db, CLAIMED, dueBefore) }
}

/** Queues held deliveries again, at their time or now. Returns their number. */
export const releaseDeliveries = (db: Db, dueBefore: Date | null): Promise<number> =>
  release(db, { ...END_HOLD, dueBefore, codes: RELEASED })
