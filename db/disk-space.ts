import { sql } from 'kysely'
import { type Db, servers } from './client.ts'
import { inTransaction } from './transaction.ts'

/** How long a statement that failed counts, by default. */
const REMEMBERED_MS = 60_000

/**
 * Returns an error that shows that the database has no space left; undefined if it has some. It needs two sources:
 *
 * - A trial writes a temporary file. Otherwise an idle process would not learn that its writes would fail. A write that
 *   commits would show less: it may reuse free space in its table, and so succeeds on a full disk. Nor would it leave
 *   as little: the trial changes no table, no catalog and no WAL.
 * - Errors of other statements count for `rememberedMs`. The trial alone would miss a full disk that has only some of
 *   the tables. If errors counted until a write succeeds, a process that gets no requests while it is unready would
 *   stay unready forever.
 */
export async function findDiskFull(db: Db, { rememberedMs = REMEMBERED_MS } = {}): Promise<Error | undefined> {
  const startedAt = performance.now()
  // Its error is remembered like any other. Errors that are not about space say nothing here.
  await writeTemporaryFile(db).catch(() => {})
  const last = servers.get(db)?.lastFull
  return last && last.at > startedAt - rememberedMs ? last.error : undefined
}

/**
 * Postgres has too little memory for these 140 kB: it writes them to a file in the default tablespace, and deletes it.
 */
const writeTemporaryFile = (db: Db) =>
  inTransaction(db, async (transaction) => {
    await sql`set local work_mem = '64kB'`.execute(transaction)
    await sql`select count(*) from generate_series(1, 10000)`.execute(transaction)
  })
