import type { Db } from '../../../../db/client.ts'
import { lockMovable, type Movable, type Mover, type QueuedDelivery } from '../../../../db/queries/queue.ts'
import {
  type LeavingDelivery,
  listTakenMinutes,
  lockSchedules,
  type TakenMinutes,
} from '../../../../db/queries/schedules.ts'
import { HORIZON_DAYS } from '../../../../schemas/errors.ts'
import type { QueueOrder } from '../../../../schemas/queue.ts'
import type { Slots } from '../schedule.ts'
import { DAY_MS } from '../time-zone.ts'
import { createQueue, findCommon, findFirst, type Queue } from './queue.ts'

/**
 * The reason for which a post gets no slots. `accountId` is absent if each account has a free slot, but none in common.
 */
export interface QueueRefusal {
  refused: 'full' | 'without_slots' | 'too_long'
  accountId?: string
}

/** The queues of some accounts. Nobody else takes their slots until the transaction ends. */
interface Queues {
  /** Takes a slot of each account. A slot that is not stored in the end stays free. */
  take(accountIds: readonly string[], order: QueueOrder): Promise<Slots | QueueRefusal>
  /** The deliveries that made room, with the slots that they move to. The caller stores them. */
  listMoves(): QueuedDelivery[]
}

interface QueuesOptions {
  /** A post whose deliveries count as gone. */
  otherThan?: { userId: string; id: string }
  /** Whose posts make room for those at the front, and the accounts of each of these. */
  front?: { mover: Mover; accountIds: readonly string[] } | undefined
}

/** Deliveries are read for the first days alone, until all of their slots are taken. */
const WINDOWS_DAYS = [28, 112, HORIZON_DAYS]

/**
 * Opens the queues of accounts in a transaction. The lock of their schedules makes requests wait for each other: each
 * sees the deliveries that the one before has stored. Deliveries after the free slots that the posts at the front need
 * are not locked.
 */
export async function openQueues(
  db: Db,
  accountIds: readonly string[],
  { otherThan, front }: QueuesOptions,
): Promise<Queues> {
  const rows = await lockSchedules(db, { accountIds })
  const queuedIds = rows.map(({ accountId }) => accountId)
  const startMs = rows[0]?.now.getTime() ?? 0
  const endMs = startMs + HORIZON_DAYS * DAY_MS
  const leaving: LeavingDelivery[] = otherThan
    ? queuedIds.map((accountId) => ({ userId: otherThan.userId, postId: otherThan.id, accountId }))
    : []
  const windowEnds = WINDOWS_DAYS.map((days) => startMs + days * DAY_MS)
  const known: TakenMinutes[] = []
  let knownUntilMs = startMs

  function createQueues(places: Places): Map<string, Queue> {
    const queues = new Map(
      rows.map(({ accountId, ...row }) => [accountId, createQueue(row, places.of(accountId), startMs, endMs)]),
    )
    for (const { accountId, minutes } of known) queues.get(accountId)!.count(minutes)
    return queues
  }

  let places = new Places(NONE)
  let queues = createQueues(places)

  /** Reads the deliveries of the next window. Returns false after the last one. */
  async function readMore(): Promise<boolean> {
    const untilMs = windowEnds.shift()
    if (untilMs === undefined) return false
    const range = { from: new Date(knownUntilMs), to: new Date(untilMs), leaving }
    const taken = await listTakenMinutes(db, { accountIds: queuedIds, ...range })
    for (const { accountId, minutes } of taken) queues.get(accountId)!.count(minutes)
    known.push(...taken)
    knownUntilMs = untilMs
    return true
  }

  /** The last of the first free slots of an account; fewer if there are not as many. */
  async function findLastFree(accountId: string, count: number): Promise<Date> {
    for (let rank = 0, lastMs = startMs; ; ) {
      const ms = queues.get(accountId)!.at(rank, knownUntilMs)
      lastMs = ms ?? lastMs
      if (ms === undefined ? !(await readMore()) : ++rank === count) return new Date(lastMs)
    }
  }

  if (front) {
    const accounts: { id: string; until: Date }[] = []
    for (const [id, { length }] of Map.groupBy(front.accountIds, (id) => id)) {
      if (queues.has(id)) accounts.push({ id, until: await findLastFree(id, length) })
    }
    const range = { accounts, from: new Date(startMs), exceptPostId: otherThan?.id ?? null }
    places = new Places(await lockMovable(db, range, front.mover))
    queues = createQueues(places)
  }

  return {
    async take(accountIds, order) {
      const wanted = accountIds.map((id) => ({ id, queue: queues.get(id) }))
      const without = wanted.find(({ queue }) => !queue)
      if (without) return { refused: 'without_slots', accountId: without.id }
      if (order === 'front' && places.movable.isTooLong) return { refused: 'too_long' }
      const chosen = wanted.map(({ queue }) => queue!)
      for (;;) {
        const times = order === 'together' ? findCommon(chosen, knownUntilMs) : findFirst(chosen, knownUntilMs)
        if (times) return new Map(accountIds.map((id, index) => [id, use(chosen[index]!, times[index]!, order)]))
        if (await readMore()) continue
        const full = wanted.find(({ queue }) => queue!.at(0, endMs) === undefined)
        return { refused: 'full', ...(full && { accountId: full.id }) }
      }
    },
    listMoves: () => places.listMoves(),
  }
}

function use(queue: Queue, ms: number, order: QueueOrder): Date {
  if (order === 'front') return new Date(queue.useFront(ms))
  queue.use(ms)
  return new Date(ms)
}

const NONE: Movable = { isTooLong: false, deliveries: [] }

/** The slots of deliveries that make room for a post at the front. */
class Places {
  readonly movable: Movable
  /** By account and time of a slot. A slot has several deliveries if one of them was retried. */
  readonly #places = new Map<string, Map<number, QueuedDelivery[]>>()

  constructor(movable: Movable) {
    this.movable = movable
    const byAccount = Map.groupBy(movable.deliveries, ({ accountId }) => accountId)
    for (const [accountId, deliveries] of byAccount) {
      this.#places.set(
        accountId,
        Map.groupBy(deliveries, ({ slotAt }) => slotAt.getTime()),
      )
    }
  }

  /** The deliveries of an account, by the time of their slots. */
  of(accountId: string): Map<number, QueuedDelivery[]> {
    const places = this.#places.get(accountId) ?? new Map<number, QueuedDelivery[]>()
    this.#places.set(accountId, places)
    return places
  }

  /** The deliveries that are in other slots now than they were. */
  listMoves(): QueuedDelivery[] {
    return [...this.#places.values()].flatMap((places) =>
      [...places].flatMap(([ms, deliveries]) =>
        deliveries
          .filter(({ slotAt }) => slotAt.getTime() !== ms)
          .map((delivery) => ({ ...delivery, slotAt: new Date(ms) })),
      ),
    )
  }
}
