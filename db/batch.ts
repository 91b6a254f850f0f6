import { budgetSpent, currentBudget, withDatabaseBudget } from './budget.ts'
import type { Db } from './client.ts'
import { isDataError } from './sqlstate.ts'

/** Two, so that one statement blocked on a row lock does not stall the queue. */
const STATEMENTS_MAX = 2
/** test/bench/README.md compares it with 128. */
const BATCH_MAX = 256

/** A row that carries the number of its item in the batch, counted from 1 as `with ordinality` does. */
export interface WithOrdinal {
  ordinal: number
}

interface Waiting<A, R> {
  item: A
  resolve(row: R | undefined): void
  reject(error: unknown): void
}

/**
 * Turns `run`, a statement for many items, into a function for one item. While the maximum of statements runs, further
 * items queue up and share the next statement. Each caller gets its own row, or undefined if the statement returned
 * none. One commit per item would take most of the time. Inside a transaction, each item gets its own statement.
 *
 * A caller whose database budget is spent gets an error, and its item leaves the queue if no statement has taken it
 * yet.
 *
 * An invalid value or a violated constraint is the error of a single item, so the items of that batch run again one by
 * one. After any other error, such as a lost connection, the outcome is unknown: every caller of the batch gets it.
 */
export function batched<A, R extends WithOrdinal>(
  run: (db: Db, items: A[]) => Promise<R[]>,
  statementsMax = STATEMENTS_MAX,
): (db: Db, item: A) => Promise<R | undefined> {
  const queues = new WeakMap<Db, (item: A) => Promise<R | undefined>>()
  return async (db, item) => {
    if (db.isTransaction) return (await run(db, [item]))[0]
    let queue = queues.get(db)
    if (!queue) {
      queue = createQueue((items) => run(db, items), statementsMax)
      queues.set(db, queue)
    }
    return queue(item)
  }
}

function createQueue<A, R extends WithOrdinal>(
  run: (items: A[]) => Promise<R[]>,
  statementsMax: number,
): (item: A) => Promise<R | undefined> {
  const waiting: Waiting<A, R>[] = []
  let running = 0
  let isScheduled = false

  // Deferred to the next turn of the event loop, so that deliveries claimed together are written together.
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      while (waiting.length > 0 && running < statementsMax) void runNext(waiting.splice(0, BATCH_MAX))
    })
  }

  async function runNext(batch: Waiting<A, R>[]): Promise<void> {
    running++
    // The batch would otherwise spend the budget of the request that happened to schedule it.
    await withDatabaseBudget(undefined, () => runBatch(batch))
    running--
    if (waiting.length > 0) schedule()
  }

  async function runBatch(batch: Waiting<A, R>[]): Promise<void> {
    try {
      const rows = new Map((await run(batch.map(({ item }) => item))).map((row) => [row.ordinal, row]))
      for (const [index, { resolve }] of batch.entries()) resolve(rows.get(index + 1))
    } catch (error) {
      if (isDataError(error) && batch.length > 1) for (const caller of batch) await runBatch([caller])
      else for (const { reject } of batch) reject(error)
    }
  }

  function giveUp(caller: Waiting<A, R>): void {
    const index = waiting.indexOf(caller)
    if (index >= 0) waiting.splice(index, 1)
    caller.reject(budgetSpent())
  }

  return async (item) => {
    const budget = currentBudget()
    if (budget && budget.remainingMs <= 0) throw budgetSpent()
    const queuedAt = performance.now()
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((resolve, reject) => {
        const caller = { item, resolve, reject }
        waiting.push(caller)
        if (budget) timer = setTimeout(giveUp, budget.remainingMs, caller)
        schedule()
      })
    } catch (error) {
      // The stack of a server error ends inside the batch. This one leads to the caller.
      if ((error as { severity?: string }).severity) Error.captureStackTrace(error as Error)
      throw error
    } finally {
      clearTimeout(timer)
      if (budget) budget.remainingMs -= performance.now() - queuedAt
    }
  }
}

/** The values of one property, for `unnest`. */
export const each = <A, K extends keyof A>(items: readonly A[], key: K): A[K][] => items.map((item) => item[key])
