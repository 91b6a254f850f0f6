import type { Db } from '../../../../db/client.ts'
import { type Mover, moveToSlots, type QueuedDelivery } from '../../../../db/queries/queue.ts'
import type { QueueOrder } from '../../../../schemas/queue.ts'
import type { AppError } from '../../../base/errors.ts'
import type { NamedAccount } from '../../../platforms/rules/wording.ts'
import { type Schedule, type Slots, withSlots } from '../schedule.ts'
import { openQueues } from './queues.ts'
import { failQueue } from './refusal.ts'

/** Takes slots for a post that exists, whose own slots count as free. Throws 409 if it gets none. */
export async function placeInSlots(
  db: Db,
  post: { userId: string; id: string },
  accounts: readonly NamedAccount[],
  order: QueueOrder,
  mover: Mover,
): Promise<Schedule> {
  const ids = accounts.map(({ id }) => id)
  const front = order === 'front' ? { mover, accountIds: ids } : undefined
  const queues = await openQueues(db, ids, { otherThan: post, front })
  const slots = await queues.take(ids, order)
  if ('refused' in slots) throw failQueue(slots, accounts)
  await moveToSlots(db, queues.listMoves())
  return withSlots(slots)
}

interface Wanted {
  /** Undefined for a post that takes no slots. */
  queue: QueueOrder | undefined
  accounts: readonly NamedAccount[]
}

interface Taken {
  /** The slots of each post, or its error. */
  taken: (Slots | AppError | undefined)[]
  /** The deliveries of other posts that made room. */
  moves: QueuedDelivery[]
}

/**
 * Takes slots for several posts, one after the other: for those at the front before the others. The caller stores the
 * moves.
 */
export async function takeSlots(db: Db, posts: readonly Wanted[], mover: Mover): Promise<Taken> {
  const idsOf = (wanted: readonly Wanted[]) => wanted.flatMap(({ accounts }) => accounts.map(({ id }) => id))
  const ids = new Set(idsOf(posts.filter(({ queue }) => queue)))
  if (ids.size === 0) return { taken: [], moves: [] }
  const atFront = idsOf(posts.filter(({ queue }) => queue === 'front'))
  const front = atFront.length > 0 ? { mover, accountIds: atFront } : undefined
  const queues = await openQueues(db, [...ids], { front })
  const taken: (Slots | AppError | undefined)[] = posts.map(() => undefined)
  // The others would stand in the way of those that make room.
  const inTurn = [...posts.entries()].toSorted(
    ([, a], [, b]) => Number(b.queue === 'front') - Number(a.queue === 'front'),
  )
  for (const [index, { queue, accounts }] of inTurn) {
    if (!queue) continue
    const ids = accounts.map(({ id }) => id)
    const slots = await queues.take(ids, queue)
    taken[index] = 'refused' in slots ? failQueue(slots, accounts) : slots
  }
  return { taken, moves: queues.listMoves() }
}
