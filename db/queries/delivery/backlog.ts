import { sql } from 'kysely'
import { prepared } from '../../prepared.ts'
import { after, at, type Now } from '../clock.ts'
import { availableAccount, earliestOf, endOfSharedRest, isAvailable, parkedAccounts } from './available.ts'

/**
 * The number of due deliveries that are read for each platform, apart from parked ones. A later delivery can have
 * waited longer only if the accounts of all these became available after it was due. The wait still grows when workers
 * stop.
 */
const EARLIEST = 100

/**
 * Milliseconds for which the oldest delivery that could be sent has waited for a worker, and whether any worker holds a
 * delivery. Running workers hold some while deliveries are due.
 */
export const readWaiting = prepared<
  { platforms: string[]; leaseMs: number; now: Now },
  { waitingMs: number; held: boolean }
>('read_waiting', (_db, value) => {
  const now = value('now')
  return sql`
    with recursive
    parked_account(platform, account_id, rank) as (
      ${parkedAccounts('parked_account', value('platforms'))}
    ),
    waiting as (
      select greatest(earliest.claimable_at, earliest.available_at, earliest.resumed_at, earliest.rested_until) as since
      from unnest(${value('platforms')}::text[]) as network(platform), lateral (
        select claimable_at, accounts.available_at, accounts.resumed_at, ${endOfSharedRest} as rested_until
        from post_targets join accounts on accounts.id = account_id
        where post_targets.platform = network.platform and not parked and claimable_at <= ${at(now)}
          and ${isAvailable(now)}
        order by claimable_at limit ${sql.lit(EARLIEST)}) as earliest
      union all
      select greatest(earliest.claimable_at, accounts.available_at, accounts.resumed_at, ${endOfSharedRest})
      from parked_account,
        lateral (${availableAccount('parked_account.account_id', now)}) as available,
        lateral (${earliestOf('available.id', now)}) as earliest,
        accounts
      where accounts.id = available.id
    )
    select coalesce(extract(epoch from ${at(now)} - (select min(since) from waiting)) * 1000, 0)::float8 as waiting_ms,
      -- Claimed or renewed within a lease. The upper bound keeps the search in the index short.
      exists (
        select from post_targets as held
        where held.platform = any(${value('platforms')}::text[]) and not held.parked and held.state = 'publishing'
          and held.claimable_at > ${at(now)} and held.claimable_at <= ${after(now, value('leaseMs'))}) as held`
})
