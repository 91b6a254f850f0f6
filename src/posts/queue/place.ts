import type { Db } from '../../../db/client.ts'
import type { Mover } from '../../../db/queries/queue.ts'
import type { QueueOrder } from '../../../schemas/queue.ts'
import type { AppError } from '../../errors.ts'
import type { NamedAccount } from '../../platforms/rules/wording.ts'
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
  const queues = await openQueues(db, ids, { otherThan: post, mover: moverFor([order], mover) })
  const slots = await queues.take(ids, order)
  if ('refused' in slots) throw failQueue(slots, accounts)
  await queues.storeMoves()
  return withSlots(slots)
}

interface Wanted {
  /** Undefined for a post that takes no slots. */
  queue: QueueOrder | undefined
  accounts: readonly NamedAccount[]
}

/** Other posts move for one at the front alone. */
const moverFor = (orders: readonly (QueueOrder | undefined)[], mover: Mover) =>
  orders.includes('front') ? mover : undefined

interface Taken {
  /** The slots of each post, or its error. */
  taken: (Slots | AppError | undefined)[]
  /** Stores the moves of the posts that made room. */
  storeMoves(): Promise<void>
}

/** Takes slots for several posts, one after the other: for those at the front before the others. */
export async function takeSlots(db: Db, posts: readonly Wanted[], mover: Mover): Promise<Taken> {
  const ids = new Set(posts.flatMap(({ queue, accounts }) => (queue ? accounts.map(({ id }) => id) : [])))
  if (ids.size === 0) return { taken: [], storeMoves: async () => {} }
  const orders = posts.map(({ queue }) => queue)
  const queues = await openQueues(db, [...ids], { mover: moverFor(orders, mover) })
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
  return { taken, storeMoves: queues.storeMoves }
}
