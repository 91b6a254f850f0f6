import { type Db, outOfTime, timeLeft, within } from './client.ts'

/** One more than one, so that a row that is locked by somebody holds up those of one statement, and not all. */
const UNDER_WAY_MAX = 2
const BATCH_MAX = 128

/** SQLSTATEs about what was given: data that cannot be, constraints that it breaks. */
const OF_DATA = /^2[23]/

/** Which of those that were given a row is for, from 1: `with ordinality`. */
export interface Placed {
  place: number
}

interface Waiting<A, R> {
  item: A
  resolve(row: R | undefined): void
  reject(error: unknown): void
}

/**
 * Makes one of `run`, a statement for many items: what is asked for while as many statements are under way as may be goes
 * together in the next one. Each gets its own row, or nothing where there is none for it. A commit for each of them would
 * take most of the time. In a transaction each goes alone.
 *
 * Whoever's own time is over before gets an error, and is not sent any more if that was not done yet.
 *
 * An error that Postgres finds in what it was given is that of one of them: then each is done by itself, and fails by
 * itself. Of any other, a lost connection for one, nobody knows what was done, and all get it.
 */
export function batched<A, R extends Placed>(
  run: (db: Db, items: A[]) => Promise<R[]>,
): (db: Db, item: A) => Promise<R | undefined> {
  const queues = new WeakMap<Db, (item: A) => Promise<R | undefined>>()
  return async (db, item) => {
    if (db.isTransaction) return (await run(db, [item]))[0]
    let queue = queues.get(db)
    if (!queue) {
      queue = createQueue((items) => run(db, items))
      queues.set(db, queue)
    }
    return queue(item)
  }
}

function createQueue<A, R extends Placed>(run: (items: A[]) => Promise<R[]>): (item: A) => Promise<R | undefined> {
  const waiting: Waiting<A, R>[] = []
  let underWay = 0
  let isWoken = false

  // Not at once: what was claimed together comes here together.
  function wake(): void {
    if (isWoken) return
    isWoken = true
    setImmediate(() => {
      isWoken = false
      while (waiting.length > 0 && underWay < UNDER_WAY_MAX) void next(waiting.splice(0, BATCH_MAX))
    })
  }

  async function next(batch: Waiting<A, R>[]): Promise<void> {
    underWay++
    // The time of whoever came first is not that of the others.
    await within(undefined, () => runAll(batch))
    underWay--
    if (waiting.length > 0) wake()
  }

  async function runAll(batch: Waiting<A, R>[]): Promise<void> {
    try {
      const rows = new Map((await run(batch.map(({ item }) => item))).map((row) => [row.place, row]))
      for (const [index, { resolve }] of batch.entries()) resolve(rows.get(index + 1))
    } catch (error) {
      const isOfOne = OF_DATA.test((error as { code?: string }).code ?? '')
      if (isOfOne && batch.length > 1) for (const each of batch) await runAll([each])
      else for (const { reject } of batch) reject(error)
    }
  }

  function giveUp(one: Waiting<A, R>): void {
    const place = waiting.indexOf(one)
    if (place >= 0) waiting.splice(place, 1)
    one.reject(outOfTime())
  }

  return async (item) => {
    const left = timeLeft()
    const askedAt = performance.now()
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((resolve, reject) => {
        const one = { item, resolve, reject }
        waiting.push(one)
        if (left) timer = setTimeout(giveUp, left.ms, one)
        wake()
      })
    } catch (error) {
      // The stack of what the server says ends in the batch: this one leads to whoever asked.
      if ((error as { severity?: string }).severity) Error.captureStackTrace(error as Error)
      throw error
    } finally {
      clearTimeout(timer)
      if (left) left.ms -= performance.now() - askedAt
    }
  }
}

/** The values of one property, for `unnest`. */
export const each = <A, K extends keyof A>(items: readonly A[], key: K): A[K][] => items.map((item) => item[key])
