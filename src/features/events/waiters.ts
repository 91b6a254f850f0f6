import { withDatabaseBudget } from '../../../db/budget.ts'
import type { Db } from '../../../db/client.ts'
import { readLastPlaces } from '../../../db/queries/events/read.ts'
import { listEndedKeys } from '../../../db/queries/keys.ts'
import { RateLimited } from '../../base/errors.ts'

const POLL_MS = 250
/** Requests that wait in one process. */
export const WAITERS_MAX = 100
const RETRY_AFTER_SECONDS = 1

interface Waiter {
  streamId: string
  userId: string
  keyId: string
  after: number
  resolve(hasEvent: boolean): void
  reject(error: unknown): void
}

type Reader = Pick<Waiter, 'streamId' | 'userId' | 'keyId'>

export interface Waiters {
  /**
   * Resolves to true when the stream has an event after the position `after`, or the key has ended. Resolves to false
   * when `ms` are over, `signal` aborts, the process stops, or another user needs the place. Throws 429 if too many
   * wait already.
   */
  wait(reader: Reader, after: number, ms: number, signal: AbortSignal): Promise<boolean>
  /** Ends all waits, and those to come. */
  stop(): void
}

/**
 * Waits for events. One query for all waiting requests of the process reads the last places of their streams, and one
 * which keys have ended. Not LISTEN, which PgBouncer does not support in transaction mode:
 * https://www.pgbouncer.org/features.html
 */
export function createWaiters(db: Db): Waiters {
  const waiting = new Set<Waiter>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function schedule(): void {
    if (timer || waiting.size === 0) return
    timer = setTimeout(() => {
      // The budget of the request that happened to set the timer is not that of the others.
      void withDatabaseBudget(undefined, poll)
    }, POLL_MS)
  }

  /**
   * Ends the wait of the user who has most, the longest one, if `userId` has at least two fewer. Returns whether it
   * did.
   */
  function makeRoom(userId: string): boolean {
    const counts = new Map<string, number>()
    for (const waiter of waiting) counts.set(waiter.userId, (counts.get(waiter.userId) ?? 0) + 1)
    const most = Math.max(...counts.values())
    if (most < (counts.get(userId) ?? 0) + 2) return false
    const longest = [...waiting].find((waiter) => counts.get(waiter.userId) === most)!
    waiting.delete(longest)
    longest.resolve(false)
    return true
  }

  async function poll(): Promise<void> {
    try {
      const rows = await readLastPlaces(db, { streamIds: [...new Set([...waiting].map(({ streamId }) => streamId))] })
      const last = new Map(rows.map((row) => [row.streamId, row.last]))
      const endedRows = await listEndedKeys(db, { ids: [...new Set([...waiting].map(({ keyId }) => keyId))] })
      const ended = new Set(endedRows.map(({ id }) => id))
      for (const waiter of waiting) {
        if ((last.get(waiter.streamId) ?? 0) > waiter.after || ended.has(waiter.keyId)) waiter.resolve(true)
      }
    } catch (error) {
      for (const waiter of waiting) waiter.reject(error)
    }
    timer = undefined
    schedule()
  }

  return {
    async wait(reader, after, ms, signal) {
      if (isStopped || signal.aborted) return false
      if (waiting.size >= WAITERS_MAX && !makeRoom(reader.userId)) {
        throw new RateLimited('too_many_waiting', RETRY_AFTER_SECONDS)
      }
      const { promise, resolve, reject } = Promise.withResolvers<boolean>()
      const waiter: Waiter = { ...reader, after, resolve, reject }
      const end = setTimeout(resolve, ms, false)
      const abort = () => resolve(false)
      signal.addEventListener('abort', abort, { once: true })
      waiting.add(waiter)
      schedule()
      try {
        return await promise
      } finally {
        waiting.delete(waiter)
        clearTimeout(end)
        signal.removeEventListener('abort', abort)
      }
    },
    stop() {
      isStopped = true
      for (const waiter of waiting) waiter.resolve(false)
    },
  }
}
