import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { reachableBy } from '../accounts.ts'
import { after, at, type Now } from '../clock.ts'
import { hasSharedRest } from './available.ts'
import { type ClaimedDelivery, claimedColumns, claimedTables } from './claim.ts'
import type { HeldDelivery } from './delivery.ts'

/** A change of what a delivery has on its network, which a worker carries out. */
export interface ClaimedChange {
  kind: 'remove' | 'edit'
  /** Failures in a row. */
  failures: number
  /** The delivery. Its lease token is that of the change. */
  delivery: ClaimedDelivery
  /** When the first act became visible. */
  publishedAt: Date
}

interface ClaimValues {
  leaseMs: number
  /** A change is postponed by this time if its account is not free. */
  postponeMs: number
  /** The longest lease of an account that publishing holds. */
  publishLeaseMs: number
  now: Now
}

/** How many changes one statement looks at: the walk along the index ends there. */
const WINDOW = 100

type Row = Omit<ClaimedChange, 'delivery'> & ClaimedDelivery & { changeToken: string | null; postponed: number }

/**
 * Claims one of the changes that have been due for the longest. An account has one at a time, beside what is published
 * to it: a post that has to go does not wait for others. `available_at` beyond a lease is a rest of the account.
 */
const claim = prepared<ClaimValues, Row>('claim_change', (_db, value) => {
  const now = value('now')
  return sql`
    with due as materialized (
      select ctid as row_id, account_id, next_at from delivery_changes
      where next_at <= ${at(now)} order by next_at limit ${sql.lit(WINDOW)}
    ),
    -- The limit makes Postgres look each account up by its id.
    candidate as materialized (
      select due.row_id, due.next_at, account.is_free
      from due
      cross join lateral (
        select coalesce(accounts.available_at, '-infinity') <= ${after(now, value('publishLeaseMs'))}
          and not ${hasSharedRest(now)}
          and not exists (
            select from delivery_changes as other
            where other.account_id = accounts.id and other.lease_token is not null and other.next_at > ${at(now)}
          ) as is_free
        from accounts where accounts.id = due.account_id limit 1) as account
    ),
    chosen as (
      select ctid as row_id from delivery_changes
      where ctid = any(array(select row_id from candidate where is_free order by next_at)) and next_at <= ${at(now)}
      limit 1
      for no key update skip locked
    ),
    busy as (
      select ctid as row_id from delivery_changes
      where ctid = any(array(select row_id from candidate where not is_free)) and next_at <= ${at(now)}
      for no key update skip locked
    ),
    postponed as (
      update delivery_changes as change set lease_token = null, next_at = ${after(now, value('postponeMs'))}
      from busy where change.ctid = busy.row_id
      returning change.account_id
    ),
    held as (
      update delivery_changes as change
      set lease_token = gen_random_uuid(), next_at = ${after(now, value('leaseMs'))}
      from chosen where change.ctid = chosen.row_id
      returning change.*
    ),
    claimed as (
      select delivery.*, held.lease_token as change_token, held.kind, held.failures as change_failures,
        0::float8 as overdue_ms, false as was_held
      from held join post_targets as delivery
        on delivery.user_id = held.user_id and delivery.post_id = held.post_id and delivery.account_id = held.account_id
    )
    -- At least one row, with the number of postponed changes.
    select ${claimedColumns(now)}, claimed.change_token, claimed.kind, claimed.change_failures as failures,
      claimed.published_at, postponing.count as postponed
    from (select count(*)::integer as count from postponed) as postponing
    left join claimed on true
    ${claimedTables}`
})

/** Repeats a claim that has only postponed changes: others may be due behind them. */
export async function claimChange(db: Db, values: ClaimValues): Promise<ClaimedChange | undefined> {
  for (;;) {
    const [row] = await claim(db, values)
    const { changeToken, postponed, kind, failures, publishedAt, ...delivery } = row!
    if (changeToken !== null) {
      return { kind, failures, publishedAt, delivery: { ...delivery, failures, leaseToken: changeToken } }
    }
    if (postponed === 0) return undefined
  }
}

/** Milliseconds until the next change is due; null if none is. */
export const readNextChange = prepared<{ now: Now }, { inMs: number | null }>(
  'read_next_change',
  (_db, value) => sql`
    select (extract(epoch from min(next_at) - ${at(value('now'))}) * 1000)::float8 as in_ms from delivery_changes`,
)

/**
 * Commits the intent to call the network for an act, and renews the lease. Returns nothing if another worker holds the
 * change by now, or if its owner may no longer use the account: then the call must not be made.
 */
export const intendChange = prepared<HeldDelivery & { act: number; leaseMs: number; now: Now }, { act: number }>(
  'intend_change',
  (_db, value) => sql`
    update delivery_changes
    set intent = ${value('act')}, next_at = ${after(value('now'), value('leaseMs'))}
    where user_id = ${value('userId')} and post_id = ${value('postId')} and account_id = ${value('accountId')}
      and lease_token = ${value('leaseToken')}
      and exists (
        select from accounts where accounts.id = ${value('accountId')} and ${reachableBy(sql`${value('userId')}::uuid`)})
    returning intent as act`,
)
