import type { Db } from '../../../../db/client.ts'
import { type Mover, moveToSlots, type QueuedDelivery } from '../../../../db/queries/queue.ts'
import type { QueueOrder } from '../../../../schemas/queue.ts'
import type { AppError } from '../../../base/errors.ts'
import type { NamedAccount } from '../../../platforms/rules/wording.ts'
import type { Slots } from '../schedule.ts'
import { openQueues } from './queues.ts'
import { failQueue } from './refusal.ts'

/** Takes slots for a post that exists, whose own slots count as free. Throws 409 if it gets none. */
export async function placeInSlots(
  db: Db,
  post: { userId: string; id: string },
  targets: readonly NamedTarget[],
  order: QueueOrder,
  mover: Mover,
): Promise<Slots> {
  const ids = idsOf(targets)
  const front = order === 'front' ? { mover, accountIds: ids } : undefined
  const queues = await openQueues(db, ids, { otherThan: post, front })
  const slots = await queues.take(ids, order)
  if ('refused' in slots) throw failQueue(slots, targets)
  await moveToSlots(db, queues.listMoves())
  return slots
}

interface NamedTarget {
  account: NamedAccount
}

const idsOf = (targets: readonly NamedTarget[]) => targets.map(({ account }) => account.id)

interface Wanted {
  /** Undefined for a post that takes no slots. */
  queue?: QueueOrder | undefined
  targets: readonly NamedTarget[]
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
  const ids = new Set(posts.filter(({ queue }) => queue).flatMap(({ targets }) => idsOf(targets)))
  if (ids.size === 0) return { taken: [], moves: [] }
  const atFront = posts.filter(({ queue }) => queue === 'front').flatMap(({ targets }) => idsOf(targets))
  const front = atFront.length > 0 ? { mover, accountIds: atFront } : undefined
  const queues = await openQueues(db, [...ids], { front })
  const taken: (Slots | AppError | undefined)[] = posts.map(() => undefined)
  // The others would stand in the way of those that make room.
  const inTurn = [...posts.entries()].toSorted(
    ([, a], [, b]) => Number(b.queue === 'front') - Number(a.queue === 'front'),
  )
  for (const [index, { queue, targets }] of inTurn) {
    if (!queue) continue
    const slots = await queues.take(idsOf(targets), queue)
    taken[index] = 'refused' in slots ? failQueue(slots, targets) : slots
  }
  return { taken, moves: queues.listMoves() }
}
