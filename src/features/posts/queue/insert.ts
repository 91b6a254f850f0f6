import { LRUCache } from 'lru-cache'
import { batched, type WithOrdinal } from '../../../../db/batch.ts'
import { withDatabaseBudget } from '../../../../db/budget.ts'
import type { Db } from '../../../../db/client.ts'
import type { KeyedResponse } from '../../../../db/queries/idempotency.ts'
import { type Insertion, insertPosts, type NewPost } from '../../../../db/queries/posts/insert.ts'
import { type Nearby, readNearby } from '../../../../db/queries/posts/nearby.ts'
import { type Mover, moveToSlots, type QueuedDelivery } from '../../../../db/queries/queue.ts'
import { inTransaction } from '../../../../db/transaction.ts'
import type { QueueOrder } from '../../../../schemas/queue.ts'
import { inSlots, type Slots } from '../schedule.ts'
import { openQueues, type QueueRefusal } from './queues.ts'

interface QueuedPost {
  /** The row of the post without a time. */
  row: NewPost
  order: QueueOrder
  gapMs: number | null
  /** Whose posts make room for one at the front. */
  mover: Mover
  /** Makes the response to store with the post. */
  toKeyed: (slots: Slots, nearby: Nearby[]) => KeyedResponse | undefined
}

interface Placement extends Pick<Insertion, 'unready'> {
  /** `missing`: the user may not use the accounts, or a limit has changed. */
  outcome: Insertion['outcome'] | 'missing'
  slots: Slots
  /** The other posts near this one. */
  nearby: Nearby[]
}

type QueuedInsertion = WithOrdinal & (QueueRefusal | Placement)

interface Placed extends Numbered {
  slots: Slots
  row: NewPost
}

interface Numbered {
  ordinal: number
  post: QueuedPost
}

/** The posts are all at the front for one mover, or none of them is. */
async function insertQueued(db: Db, posts: QueuedPost[]): Promise<QueuedInsertion[]> {
  const done: QueuedInsertion[] = []
  let open: Numbered[] = posts.map((post, index) => ({ ordinal: index + 1, post }))
  while (open.length > 0) {
    const results = await inTransaction(db, (db) => insertOnce(db, open)).catch(catchUnwritten)
    done.push(...results)
    const ordinals = new Set(results.map(({ ordinal }) => ordinal))
    open = open.filter(({ ordinal }) => !ordinals.has(ordinal))
  }
  return done
}

type InsertBatched = ReturnType<typeof batched<QueuedPost, QueuedInsertion>>

/**
 * A queue for the posts of each mover, and one for those at the front, whose transactions lock the posts that this one
 * may move. A second transaction of the same accounts would keep a connection while it waits for the first.
 */
const inserts = new LRUCache<string, InsertBatched>({ max: 2_000 })

/**
 * Takes slots for a post and writes it, both or neither, in one transaction: the response that is stored under an
 * `Idempotency-Key` names the slots. Posts of one moment share it, because their accounts are locked meanwhile. Those
 * at the front share the moves of other posts as well, which take most of the time.
 */
export async function insertQueuedPost(db: Db, post: QueuedPost): Promise<QueuedInsertion | undefined> {
  const { mover, order } = post
  const name = JSON.stringify([mover, order === 'front'])
  const insert = inserts.get(name) ?? batched((db, posts) => withinShare(mover, () => insertQueued(db, posts)), 1)
  inserts.set(name, insert)
  return insert(db, post)
}

/** Uses the share of the mover: the transaction may wait for a lock that others hold. */
const withinShare = <T>({ userId }: Mover, work: () => T): T =>
  withDatabaseBudget({ userId, remainingMs: Number.POSITIVE_INFINITY }, work)

/**
 * Throws `Unwritten`, which rolls back, if some posts cannot be written and others can: the others then get the slots
 * of those.
 */
async function insertOnce(db: Db, posts: Numbered[]): Promise<QueuedInsertion[]> {
  const accountIds = posts.flatMap(({ post }) => accountIdsOf(post))
  const { order, mover } = posts[0]!.post
  const queues = await openQueues(db, [...new Set(accountIds)], {
    ...(order === 'front' && { front: { mover, accountIds } }),
  })
  const refusals: QueuedInsertion[] = []
  const placed: Placed[] = []
  for (const { ordinal, post } of posts) {
    const slots = await queues.take(accountIdsOf(post), post.order)
    if ('refused' in slots) refusals.push({ ordinal, ...slots })
    else placed.push({ ordinal, post, slots, row: inSlots(post.row, slots) })
  }
  if (placed.length === 0) return refusals
  const moves = queues.listMoves()
  const nearby = await readNearbyOf(db, placed, moves)
  const insertions = await insertPosts(
    db,
    placed.map(({ ordinal, post, slots, row }) => ({ ...row, keyed: post.toKeyed(slots, nearby.get(ordinal) ?? []) })),
  )
  const found = new Map(insertions.map((insertion) => [insertion.ordinal, insertion]))
  const results = placed.map(({ ordinal, slots }, index): QueuedInsertion => {
    const { outcome = 'missing', unready = null } = found.get(index + 1) ?? {}
    return { ordinal, outcome, unready, slots, nearby: nearby.get(ordinal) ?? [] }
  })
  const unwritten = results.filter((result) => 'outcome' in result && result.outcome !== 'written')
  if (unwritten.length > 0 && unwritten.length < results.length) throw new Unwritten(unwritten)
  // The slots of these are free for those that were refused.
  if (unwritten.length > 0) return unwritten
  await moveToSlots(db, moves)
  return [...refusals, ...results]
}

const accountIdsOf = ({ row }: QueuedPost) => row.targets.map(({ accountId }) => accountId)

/** The other posts near each of these, by ordinal. */
async function readNearbyOf(
  db: Db,
  placed: readonly Placed[],
  moves: readonly QueuedDelivery[],
): Promise<Map<number, Nearby[]>> {
  const wanted = placed.flatMap(({ ordinal, slots, row: { id, userId, targets, nearby } }) =>
    targets.map(({ accountId }, index) => ({
      ordinal,
      userId,
      postId: id,
      accountId,
      dueAt: slots.get(accountId)!,
      ...nearby[index]!,
    })),
  )
  const { gapMs } = placed[0]!.post
  return Map.groupBy(await readNearby(db, wanted, { gapMs, moves }), ({ ordinal }) => ordinal)
}

/** Rolls back a transaction, for which Kysely needs a throw. It never leaves this file. */
class Unwritten extends Error {
  readonly results: QueuedInsertion[]

  constructor(results: QueuedInsertion[]) {
    super()
    this.results = results
  }
}

function catchUnwritten(error: unknown): QueuedInsertion[] {
  if (error instanceof Unwritten) return error.results
  throw error
}
