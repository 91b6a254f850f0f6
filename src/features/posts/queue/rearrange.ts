import type { Db } from '../../../../db/client.ts'
import { lockMovable, moveToSlots, type QueuedDelivery } from '../../../../db/queries/queue.ts'
import { countQueued, type LockedSchedule, listTakenMinutes, lockSchedules } from '../../../../db/queries/schedules.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import { HORIZON_DAYS } from '../../../../schemas/errors.ts'
import type { RearrangedQueue } from '../../../../schemas/schedule.ts'
import type { IfMatch } from '../../../base/http/preconditions.ts'
import { DAY_MS } from '../time-zone.ts'
import { listInstants, MINUTE_MS } from './instants.ts'
import { failQueue } from './refusal.ts'
import { type Caller, requireMatch, requireSchedule } from './schedule.ts'

interface Rearranged {
  etag: string
  queue: RearrangedQueue
}

/**
 * Moves the queued posts of an account that the caller may change to the first free slots, in their order. Throws 404
 * without a schedule, 412 for another one, and 409 if there are too few slots or too many posts.
 */
export async function rearrangeSchedule(
  db: Db,
  caller: Caller,
  id: string,
  isMatch: IfMatch | undefined,
): Promise<Rearranged> {
  const { schedule: seen, platform, username } = await requireSchedule(db, caller, id)
  const targets = [{ account: { id, platform, username } }]
  return inTransaction(db, async (db) => {
    const [locked] = await lockSchedules(db, { accountIds: [id] })
    const etag = requireMatch(locked ?? seen, isMatch)
    if (!locked) throw failQueue({ refused: 'without_slots', accountId: id }, targets)
    const until = new Date(locked.now.getTime() + HORIZON_DAYS * DAY_MS)
    const range = { accounts: [{ id, until }], from: locked.now, exceptPostId: null }
    const mover = { userId: caller.userId, accountIds: caller.rights.accountIds }
    const { deliveries, isTooLong } = await lockMovable(db, range, mover)
    if (isTooLong) throw failQueue({ refused: 'too_long' }, targets)
    const slots = await listFreeSlots(db, locked, deliveries)
    if (slots.length < deliveries.length) throw failQueue({ refused: 'full', accountId: id }, targets)
    const moved = deliveries
      .map((delivery, index) => ({ ...delivery, from: delivery.slotAt, slotAt: slots[index]! }))
      .filter(({ from, slotAt }) => from.getTime() !== slotAt.getTime())
    const count = await countQueued(db, { accountId: id, from: locked.now })
    await moveToSlots(db, moved)
    return { etag, queue: { moved: moved.map(toMovedPost), stayed: count - moved.length } }
  })
}

/** The first slots that no other delivery takes, one for each of these. There may be fewer. */
async function listFreeSlots(
  db: Db,
  { accountId, now, ...schedule }: LockedSchedule,
  deliveries: readonly QueuedDelivery[],
): Promise<Date[]> {
  const endMs = now.getTime() + HORIZON_DAYS * DAY_MS
  const range = { from: now, to: new Date(endMs), leaving: deliveries }
  const [others] = await listTakenMinutes(db, { accountIds: [accountId], ...range })
  const taken = new Set(others?.minutes)
  return listInstants(schedule, now.getTime() + 1, endMs)
    .filter((ms) => !taken.has(ms / MINUTE_MS))
    .take(deliveries.length)
    .map((ms) => new Date(ms))
    .toArray()
}

const toMovedPost = ({ postId, from, slotAt }: QueuedDelivery & { from: Date }) => ({
  postId,
  from: from.toISOString(),
  scheduledAt: slotAt.toISOString(),
})
