import type { Db } from './client.ts'
import { hasSqlstate, isRetryable, SQLSTATE } from './sqlstate.ts'

export const ATTEMPTS_MAX = 4

/**
 * Thrown by the work of a transaction if a row is no longer as the work has read it. It counts as a serialisation
 * failure.
 */
export class Conflict extends Error {
  readonly code = SQLSTATE.SERIALIZATION_FAILURE
}

/**
 * Runs `work` in a transaction: in `db` if it is one already, else in a new one. A new transaction runs again as a
 * whole, up to three times, after a serialisation failure, a deadlock or a foreign key violation. The last one means
 * that a row which `work` read was deleted meanwhile: the next attempt reads that, and reports it.
 */
export async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db)
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      const isConflict = isRetryable(error) || hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION)
      if (!isConflict || attempt === ATTEMPTS_MAX) throw error
    }
  }
}
