import { type RawBuilder, sql } from 'kysely'
import { after, at, type Now } from './clock.ts'

/** How many rows one statement looks at: the walk along the index ends there. */
const WINDOW = 100

interface Terms {
  /** Which rows of `work` are looked at. Default: all. */
  among?: RawBuilder<unknown> | undefined
  /** Whether the row `due` may be claimed; `accounts` is its account. */
  isFree: RawBuilder<unknown>
  leaseMs: number
  /** For how long a row is postponed. */
  postponeMs: number
  now: Now
}

/**
 * CTEs that claim one of the rows of `table` that have been due for the longest, for a table of work on accounts with
 * `next_at` and `lease_token`. `held` has the row with its lease, or none. Rows that are not free are `postponed`, so
 * that they do not stand in front of others; an expired lease on them ends.
 */
export const claimOne = (table: string, { among, isFree, leaseMs, postponeMs, now }: Terms) => {
  const work = sql.table(table)
  return sql`
    due as materialized (
      select ctid as row_id, work.* from ${work} as work
      where next_at <= ${at(now)} ${among ? sql`and ${among}` : sql``} order by next_at limit ${sql.lit(WINDOW)}
    ),
    -- The limit makes Postgres look each account up by its id.
    candidate as materialized (
      select due.row_id, due.next_at, account.is_free
      from due
      cross join lateral (
        select ${isFree} as is_free from accounts where accounts.id = due.account_id limit 1) as account
    ),
    chosen as (
      select ctid as row_id from ${work}
      where ctid = any(array(select row_id from candidate where is_free order by next_at)) and next_at <= ${at(now)}
      limit 1
      for no key update skip locked
    ),
    busy as (
      select ctid as row_id from ${work}
      where ctid = any(array(select row_id from candidate where not is_free)) and next_at <= ${at(now)}
      for no key update skip locked
    ),
    postponed as (
      update ${work} as work set lease_token = null, next_at = ${after(now, postponeMs)}
      from busy where work.ctid = busy.row_id
      returning work.account_id
    ),
    held as (
      update ${work} as work
      set lease_token = gen_random_uuid(), next_at = ${after(now, leaseMs)}
      from chosen where work.ctid = chosen.row_id
      returning work.*
    )`
}

/** Repeats a claim that has only postponed rows: others may be due behind them. Undefined if nothing is due. */
export async function claimBehindPostponed<Row extends { postponed: number }>(
  claim: () => Promise<Row[]>,
  isHeld: (row: Row) => boolean,
): Promise<Row | undefined> {
  for (;;) {
    const [row] = await claim()
    if (isHeld(row!)) return row
    if (row!.postponed === 0) return undefined
  }
}
