import type { Db } from '../../../db/client.ts'
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
): Promise<Schedule> {
  const ids = accounts.map(({ id }) => id)
  const queues = await openQueues(db, ids, { otherThan: post })
  const slots = await queues.take(ids, order)
  if ('refused' in slots) throw failQueue(slots, accounts)
  return withSlots(slots)
}

interface Wanted {
  /** Undefined for a post that takes no slots. */
  queue: QueueOrder | undefined
  accounts: readonly NamedAccount[]
}

/** Takes slots for several posts, one after the other: the slots of each, or its error. */
export async function takeSlots(db: Db, posts: readonly Wanted[]): Promise<(Slots | AppError | undefined)[]> {
  const ids = new Set(posts.flatMap(({ queue, accounts }) => (queue ? accounts.map(({ id }) => id) : [])))
  if (ids.size === 0) return []
  const queues = await openQueues(db, [...ids])
  const taken: (Slots | AppError | undefined)[] = []
  for (const { queue, accounts } of posts) {
    const slots =
      queue &&
      (await queues.take(
        accounts.map(({ id }) => id),
        queue,
      ))
    taken.push(slots && 'refused' in slots ? failQueue(slots, accounts) : slots)
  }
  return taken
}
