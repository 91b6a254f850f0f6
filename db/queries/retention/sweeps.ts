import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { after, at, type Now } from '../clock.ts'

/** The only row of `sweeps`. */
const NAME = 'retention'

interface Times {
  leaseMs: number
  now: Now
}

/**
 * Gives the caller the lease of the sweep, if one is due and no other worker holds it. Returns the token of the lease
 * and the database's time. A row and not an advisory lock, which a pooler in transaction mode would lose.
 */
export async function beginSweep(db: Db, { leaseMs, now }: Times) {
  const { rows } = await sql<{ leaseToken: string; startedAt: Date }>`
    update sweeps set lease_token = gen_random_uuid(), leased_until = ${after(now, leaseMs)}
    where name = ${NAME}
      and next_at <= ${at(now)}
      and (leased_until is null or leased_until <= ${at(now)})
    returning lease_token, ${at(now)} as started_at`.execute(db)
  return rows[0]
}

/** Returns false if another worker holds the lease by now. */
export async function renewSweep(db: Db, leaseToken: string, { leaseMs, now }: Times): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sweeps set leased_until = ${after(now, leaseMs)}
    where name = ${NAME} and lease_token = ${leaseToken}`.execute(db)
  return numAffectedRows === 1n
}

/** Gives the lease back. The next sweep is due in `nextInMs`. */
export async function endSweep(
  db: Db,
  leaseToken: string,
  { isFinished, nextInMs, now }: { isFinished: boolean; nextInMs: number; now: Now },
): Promise<void> {
  await sql`
    update sweeps
    set lease_token = null, leased_until = null, next_at = ${after(now, nextInMs)},
      finished_at = case when ${isFinished}::boolean then ${at(now)} else finished_at end
    where name = ${NAME} and lease_token = ${leaseToken}`.execute(db)
}

/** When a worker last finished a sweep; null before the first one. */
export async function readLastSweep(db: Db): Promise<Date | null> {
  const row = await db.selectFrom('sweeps').select('finishedAt').where('name', '=', NAME).executeTakeFirst()
  return row?.finishedAt ?? null
}
