import { sql } from 'kysely'
import { prepared } from '../../prepared.ts'
import { at, msSince, type Now } from '../clock.ts'
import { earliestOf, parkedAccounts } from './available.ts'

/** Each number is at most COUNT_MAX; `due` is at most twice that. */
export interface DeliveryCounts {
  platform: string
  /** Due, and not under way. */
  due: number
  /** Milliseconds since the earliest of the due deliveries could be sent; 0 if none is due. */
  oldestDueMs: number
  /** Not due until they are retried, or until their network is queried. */
  waiting: number
  failed: number
  unconfirmed: number
  missed: number
}

/** Deliveries of one kind and platform are counted up to here, so that the cost of counting does not grow with them. */
export const COUNT_MAX = 10_000
/** Accounts of each platform whose parked deliveries are searched for the oldest one. */
const PARKED_ACCOUNTS_MAX = 1_000

/**
 * Counts the deliveries of each platform that an operator has to know of. Published deliveries, and those that are
 * scheduled for later, are in none of the indexes that this reads. With 10 million deliveries, 22,000 due and 125,000
 * failed, unconfirmed or missed, it reads 4,000 pages in at most 0.1 s.
 */
export const countDeliveries = prepared<{ platforms: string[]; now: Now }, DeliveryCounts>(
  'count_deliveries',
  (_db, value) => {
    const platforms = value('platforms')
    const now = value('now')
    const fresh = sql`not parked and claimable_at <= ${at(now)}`
    const countOf = (condition: ReturnType<typeof sql>) => sql`(
      select count(*)::integer from (
        select from post_targets
        where platform = network.platform and ${condition} limit ${sql.lit(COUNT_MAX)}) as counted)`
    return sql`
      with recursive
      parked_account(platform, account_id, rank) as (
        ${parkedAccounts('parked_account', platforms, sql`true`, PARKED_ACCOUNTS_MAX)}
      ),
      parked as (
        select platform, min(claimable_at) as since
        from parked_account, lateral (${earliestOf('parked_account.account_id', now)}) as earliest
        group by platform
      )
      select network.platform, ${countOf(fresh)} + ${countOf(sql`parked`)} as due,
        coalesce(${msSince(now, 'oldest.since')}, 0) as oldest_due_ms,
        ${countOf(sql`
          state = 'queued' and (failures > 0 or waiting_since is not null) and claimable_at > ${at(now)}`)} as waiting,
        ${countOf(sql`state = 'failed'`)} as failed,
        ${countOf(sql`state = 'unconfirmed'`)} as unconfirmed,
        ${countOf(sql`state = 'missed'`)} as missed
      from unnest(${platforms}::text[]) as network(platform), lateral (
        select least(
          (select min(claimable_at) from post_targets where platform = network.platform and ${fresh}),
          (select since from parked where parked.platform = network.platform)) as since) as oldest`
  },
)
