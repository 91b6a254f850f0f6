import { sql } from 'kysely'
import { at, type Now } from '../clock.ts'

/** Whether an account may be published to: it may be called, and its owner has not paused it. */
export const isAvailable = (now: Now) => sql<boolean>`(accounts.paused_at is null and ${isFree(now)})`

/**
 * Whether an account may be called: no delivery of it is under way, and neither the account nor a rate limit that it
 * shares has to rest. coalesce() hides the column's statistics, which may date from when most accounts were leased:
 * with them, Postgres would begin with all accounts instead of the due deliveries.
 */
export const isFree = (now: Now) => sql<boolean>`(
  coalesce(accounts.available_at, '-infinity') <= ${at(now)} and not ${hasSharedRest(now)})`

/** Whether a rate limit that an account shares has to rest. */
export const hasSharedRest = (now: Now) => sql<boolean>`exists (
    select from limit_rests
    where limit_rests.key in (accounts.limit_key, accounts.platform) and limit_rests.until > ${at(now)})`

/** When the rate limits that an account shares let it be sent to again; null if none was ever reached. */
export const endOfSharedRest = sql<Date | null>`(
  select max(limit_rests.until) from limit_rests where limit_rests.key in (accounts.limit_key, accounts.platform))`

/** An account by its id, if it is available. The limit makes Postgres look it up by the id. */
export const availableAccount = (accountId: string, now: Now) => sql`
  select id from accounts where id = ${sql.ref(accountId)} and ${isAvailable(now)} limit 1`

/** The due delivery of an account that goes out first. */
export const earliestOf = (accountId: string, now: Now) => sql`
  select ctid as row_id, claimable_at from post_targets
  where account_id = ${sql.ref(accountId)} and claimable_at <= ${at(now)}
  order by due_at, post_id limit 1`

/**
 * Accounts of these platforms that have parked deliveries, as the body of a recursive CTE `name(platform, account_id,
 * rank)`. Each account is found in the index behind the one before it, so the cost does not grow with the deliveries.
 * `range` restricts the account ids, `count` how many are found on each platform.
 */
export const parkedAccounts = (
  name: string,
  platforms: string[],
  range: ReturnType<typeof sql> = sql`true`,
  count: number | null = null,
) => sql`
  select first.*, 1 as rank
  from unnest(${platforms}::text[]) as network(platform), lateral (
    select platform, account_id from post_targets
    where parked and platform = network.platform and ${range}
    order by account_id limit 1) as first
  union all
  select following.*, previous.rank + 1
  from ${sql.ref(name)} as previous, lateral (
    select platform, account_id from post_targets
    where parked and platform = previous.platform and account_id > previous.account_id and ${range}
    order by account_id limit 1) as following
  where previous.rank < coalesce(${sql.lit(count)}, previous.rank + 1)`
