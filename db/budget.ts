import { AsyncLocalStorage } from 'node:async_hooks'

/** The time that one request may still spend on the database, including waits for a connection. */
export interface DatabaseBudget {
  remainingMs: number
  /** The user whose share of the connections the request uses, or one of `SHARED_BY_STRANGERS`. Absent: none. */
  userId?: string
}

/** A quarter of the connections each, for requests without a user: those without a key, and the check of a new key. */
export const SHARED_BY_STRANGERS = { requests: 'requests without a key', keys: 'unknown keys' } as const

const budgets = new AsyncLocalStorage<DatabaseBudget | undefined>()

/**
 * Runs `work` under `budget`: its statements, and those of everything that it starts, reduce the budget and fail once
 * it is spent. If `budget` is undefined, only the time limit of the connection applies.
 */
export const withDatabaseBudget = <T>(budget: DatabaseBudget | undefined, work: () => T): T => budgets.run(budget, work)

/** The budget that the caller runs under. */
export const currentBudget = (): DatabaseBudget | undefined => budgets.getStore()

export const budgetSpent = () => Object.assign(new Error('The database has taken too long'), { code: 'ETIMEDOUT' })
