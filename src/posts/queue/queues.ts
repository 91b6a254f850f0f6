import type { Db } from '../../../db/client.ts'
import { listTakenMinutes, lockSchedules, type OtherThan } from '../../../db/queries/schedules.ts'
import { HORIZON_DAYS } from '../../../schemas/errors.ts'
import type { QueueOrder } from '../../../schemas/queue.ts'
import type { AccountSchedule } from '../../../schemas/schedule.ts'
import type { Slots } from '../schedule.ts'
import { DAY_MS } from '../time-zone.ts'
import { listInstants, MINUTE_MS } from './instants.ts'

/**
 * The reason for which a post gets no slots. `accountId` is absent if each account has a free slot, but none in common.
 */
export interface QueueRefusal {
  refused: 'full' | 'without_slots'
  accountId?: string
}

/** The queues of some accounts. Nobody else takes their slots until the transaction ends. */
export interface Queues {
  /** Takes a slot of each account. A slot that is not stored in the end stays free. */
  take(accountIds: readonly string[], order: QueueOrder): Promise<Slots | QueueRefusal>
}

/** Deliveries are read for the first days alone, until all of their slots are taken. */
const WINDOWS_DAYS = [28, 112, HORIZON_DAYS]

/**
 * Opens the queues of accounts in a transaction. The lock of their schedules makes requests wait for each other: each
 * sees the deliveries that the one before has stored. Deliveries of the post `otherThan` count as gone.
 */
export async function openQueues(
  db: Db,
  accountIds: readonly string[],
  { otherThan }: { otherThan?: OtherThan } = {},
): Promise<Queues> {
  const rows = await lockSchedules(db, { accountIds })
  const startMs = rows[0]?.now.getTime() ?? 0
  const endMs = startMs + HORIZON_DAYS * DAY_MS
  const queues = new Map(rows.map(({ accountId, ...row }) => [accountId, createQueue(row, startMs, endMs)]))
  const windowEnds = WINDOWS_DAYS.map((days) => startMs + days * DAY_MS)
  let knownUntilMs = startMs

  /** Reads the deliveries of the next window. Returns false after the last one. */
  async function readMore(): Promise<boolean> {
    const untilMs = windowEnds.shift()
    if (untilMs === undefined) return false
    const range = { from: new Date(knownUntilMs), to: new Date(untilMs), otherThan: otherThan ?? null }
    for (const { accountId, minutes } of await listTakenMinutes(db, { accountIds: [...queues.keys()], ...range })) {
      queues.get(accountId)!.exclude(minutes)
    }
    knownUntilMs = untilMs
    return true
  }

  return {
    async take(accountIds, order) {
      const wanted = accountIds.map((id) => ({ id, queue: queues.get(id) }))
      const without = wanted.find(({ queue }) => !queue)
      if (without) return { refused: 'without_slots', accountId: without.id }
      const chosen = wanted.map(({ queue }) => queue!)
      for (;;) {
        const times = order === 'together' ? findCommon(chosen, knownUntilMs) : findFirst(chosen, knownUntilMs)
        if (times) {
          for (const [index, queue] of chosen.entries()) queue.use(times[index]!)
          return new Map(accountIds.map((id, index) => [id, new Date(times[index]!)]))
        }
        if (await readMore()) continue
        const full = wanted.find(({ queue }) => queue!.at(0, endMs) === undefined)
        return { refused: 'full', ...(full && { accountId: full.id }) }
      }
    },
  }
}

/** The free slots of an account, which are computed as they are needed. */
interface Queue {
  /** The free slot of this rank, if it is before `untilMs`. */
  at(rank: number, untilMs: number): number | undefined
  exclude(minutes: readonly number[]): void
  use(ms: number): void
}

function createQueue(schedule: AccountSchedule, startMs: number, endMs: number): Queue {
  const instants = listInstants(schedule, startMs + 1, endMs)
  const taken = new Set<number>()
  const free: number[] = []
  let next = instants.next().value

  function grow(untilMs: number): void {
    while (next !== undefined && taken.has(next / MINUTE_MS)) next = instants.next().value
    if (next === undefined || next >= untilMs) return
    free.push(next)
    next = instants.next().value
  }

  return {
    at(rank, untilMs) {
      if (rank === free.length) grow(untilMs)
      return free[rank]
    },
    exclude(minutes) {
      for (const minute of minutes) taken.add(minute)
    },
    use(ms) {
      free.splice(free.indexOf(ms), 1)
    },
  }
}

/** The first free slot of each account; undefined if one has none. */
function findFirst(queues: readonly Queue[], untilMs: number): number[] | undefined {
  const times = queues.map((queue) => queue.at(0, untilMs))
  return times.includes(undefined) ? undefined : (times as number[])
}

/** The first slot that is free on all accounts, for each of them; undefined without one. */
function findCommon(queues: readonly Queue[], untilMs: number): number[] | undefined {
  const ranks = queues.map(() => 0)
  let commonMs = 0
  for (let agreed = 0; agreed < queues.length; ) {
    for (const [index, queue] of queues.entries()) {
      let ms = queue.at(ranks[index]!, untilMs)
      while (ms !== undefined && ms < commonMs) ms = queue.at(++ranks[index]!, untilMs)
      if (ms === undefined) return undefined
      agreed = ms === commonMs ? agreed + 1 : 1
      commonMs = ms
      if (agreed === queues.length) break
    }
  }
  return queues.map(() => commonMs)
}
