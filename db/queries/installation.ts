import { type Expression, sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'

/** The state of this database in its protocol with the journal: see src/engine/journal/journal.ts. */
export interface Installation {
  id: string
  /** Increases with each part of the journal. */
  mark: number
  /** Whether workers refuse to send until `restore finish`. */
  isRefused: boolean
}

const columns = sql`id, mark::float8 as mark, refused_since is not null as is_refused`

/** Returns no row if no worker ran on the database yet. */
export const readInstallation = prepared<object, Installation>(
  'read_installation',
  () => sql`select ${columns} from installation`,
)

/** Returns no row if another worker was first. */
export async function createInstallation(db: Db, { isRefused }: { isRefused: boolean }): Promise<void> {
  const refusedSince: Expression<Date | null> = isRefused ? sql<Date>`now()` : sql<null>`null`
  await sql`insert into installation (refused_since) values (${refusedSince}) on conflict do nothing`.execute(db)
}

/** Whether the call of any act was ever about to be made. */
export async function hasAttempts(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (select from delivery_attempts) as found`.execute(db)
  return rows[0]!.found
}

/**
 * Increases the mark. Returns no row if the database is not the one that had `known`: it was restored, or has lost
 * transactions. Nothing changes then.
 */
export const advanceMark = prepared<{ id: string; known: number }, { mark: number; isRefused: boolean; at: string }>(
  'advance_mark',
  (_db, value) => sql`
    update installation set mark = mark + 1
    where id = ${value('id')} and mark >= ${value('known')}::bigint
    returning mark::float8 as mark, refused_since is not null as is_refused, ${isoTime(sql`now()`)} as at`,
)

/** Locks the row. Returns undefined if no worker ran on the database yet. */
export async function lockInstallation(db: Db): Promise<(Installation & { refusedSince: Date | null }) | undefined> {
  const { rows } = await sql<Installation & { refusedSince: Date | null }>`
    select ${columns}, refused_since from installation for update`.execute(db)
  return rows[0]
}

/** Makes all workers refuse to send. */
export async function refuseToSend(db: Db): Promise<void> {
  await sql`
    insert into installation (refused_since) values (now())
    on conflict (singleton) do update set refused_since = coalesce(installation.refused_since, now())`.execute(db)
}

/** Lets workers send again, once the mark is at least `mark`. */
export async function endRefusal(db: Db, mark: number): Promise<void> {
  await sql`
    update installation set refused_since = null, mark = greatest(mark, ${mark}::bigint)`.execute(db)
}
