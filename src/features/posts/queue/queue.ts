import type { QueuedDelivery } from '../../../../db/queries/queue.ts'
import type { AccountSchedule } from '../../../../schemas/schedule.ts'
import { listInstants, MINUTE_MS } from './instants.ts'

/** The slots of an account, which are computed as they are needed. */
export interface Queue {
  /** The free slot of this rank, if it is before `untilMs`. */
  at(rank: number, untilMs: number): number | undefined
  /** Counts deliveries by the minutes since 1970 in which they are published. */
  count(minutes: readonly number[]): void
  use(ms: number): void
  /** Takes the first slot that is free or has a delivery that may move, before this free slot. Deliveries make room. */
  useFront(freeMs: number): number
}

/** Deliveries in `occupants` may move to other slots, and are stored there. The key is the time of their slot. */
export function createQueue(
  schedule: AccountSchedule,
  occupants: Map<number, QueuedDelivery[]>,
  startMs: number,
  endMs: number,
): Queue {
  const instants = listInstants(schedule, startMs + 1, endMs)
  const counts = new Map<number, number>()
  const free: number[] = []
  const occupied: number[] = []
  let next = instants.next().value

  function grow(untilMs: number): void {
    for (; next !== undefined && next < untilMs; next = instants.next().value) {
      const moving = occupants.get(next)
      if ((counts.get(next / MINUTE_MS) ?? 0) > (moving?.length ?? 0)) continue
      if (!moving) {
        free.push(next)
        next = instants.next().value
        return
      }
      occupied.push(next)
    }
  }

  function use(ms: number): void {
    free.splice(free.indexOf(ms), 1)
  }

  return {
    at(rank, untilMs) {
      if (rank === free.length) grow(untilMs)
      return free[rank]
    },
    count(minutes) {
      for (const minute of minutes) counts.set(minute, (counts.get(minute) ?? 0) + 1)
    },
    use,
    useFront(freeMs) {
      use(freeMs)
      const count = occupied.filter((ms) => ms < freeMs).length
      if (count === 0) return freeMs
      const [frontMs, ...others] = occupied.splice(0, count) as [number, ...number[]]
      const moved = [...others, freeMs]
      occupied.unshift(...moved)
      for (const [index, ms] of moved.entries().toArray().reverse()) {
        occupants.set(ms, occupants.get(index === 0 ? frontMs : moved[index - 1]!)!)
      }
      occupants.delete(frontMs)
      return frontMs
    },
  }
}

/** The first free slot of each account; undefined if one has none. */
export function findFirst(queues: readonly Queue[], untilMs: number): number[] | undefined {
  const times = queues.map((queue) => queue.at(0, untilMs))
  return times.includes(undefined) ? undefined : (times as number[])
}

/** The first slot that is free on all accounts, for each of them; undefined without one. */
export function findCommon(queues: readonly Queue[], untilMs: number): number[] | undefined {
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
