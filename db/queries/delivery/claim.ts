import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AccountFacts } from '../../../schemas/account-facts.ts'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { Media } from '../../../schemas/media.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { reachableBy } from '../accounts.ts'
import { after, at, msSince, type Now } from '../clock.ts'
import { FEW_ROWS } from '../few-rows.ts'
import { isFileOf, renditionOf, sentFileOf } from '../posts/files.ts'
import type { StoredRendition } from '../posts/sent-renditions.ts'
import { sandboxAccounts } from '../user-now.ts'
import { availableAccount, earliestOf, isAvailable, parkedAccounts } from './available.ts'
import { contentColumns, type HeldDelivery, type PlannedContent, type PreparedAct, type SentAct } from './delivery.ts'

/** A delivery that a worker holds, with everything that it takes to carry it out. */
export interface ClaimedDelivery extends HeldDelivery, PlannedContent {
  platform: PlatformId
  token: string
  /** Number of attempts in the delivery's history. */
  attemptsBefore: number
  failures: number
  error: DeliveryError | null
  /** Number of the act whose call may have been made. */
  intent: number | null
  prepared: PreparedAct | null
  /** Milliseconds that the delivery has waited for its network; null if it does not wait. */
  waitedMs: number | null
  /**
   * Milliseconds since the last call that lost its response ended: that of a crashed worker ended with its lease. Null
   * if none has.
   */
  lostForMs: number | null
  sent: SentAct[]
  startedAt: Date
  /** Milliseconds since the delivery was due. */
  lateMs: number
  /** Milliseconds since the delivery could be claimed: since its next attempt, or since the end of a lost lease. */
  overdueMs: number
  /** Whether its owner may still post to the account, and the account is connected. */
  reachable: boolean
  /** Also those that were deleted after they were published. */
  media: StoredFile[]
  /** The longest alternative text that the account's own server keeps; null if the network's limit applies. */
  altTextLengthMax: number | null
  /** The stated limits of the account; null without such limits. */
  facts: AccountFacts | null
  /** The encrypted credentials; all three are null if the account has no credentials. */
  keyId: string | null
  dataKey: Buffer | null
  data: Buffer | null
  /** Increases with each write of the credentials; null if the account has no credentials. */
  generation: number | null
  /** Milliseconds until the access token is refreshed, a minute at most; null if it cannot be. */
  refreshInMs: number | null
  /**
   * Milliseconds since the access token expired: negative until then, null if it never expires or its end is unknown.
   */
  expiredForMs: number | null
}

export interface StoredFile
  extends Omit<Media, 'fps' | 'pages' | 'fileName' | 'externalReference' | 'metadata' | 'createdAt'> {
  /** Null for a rendition that is not made yet, and for a file without content. */
  storageKey: string | null
  /** The rendition that is sent in place of the file; null if the file itself is. */
  rendition: StoredRendition | null
  /** The act that has the file, counted from 1. */
  part: number
}

/** Due deliveries of a platform that one claim looks at: more than the concurrency of any network but the sandbox. */
const WINDOW = 300
/**
 * Accounts with parked deliveries that one claim looks at on each platform, from a random account on and from the
 * first.
 */
const PARKED_ACCOUNTS_MAX = 250

/** The values that a claimed delivery gets. */
export interface ClaimTerms {
  leaseMs: number
  /** The state of a claimed delivery. */
  state: string
  now: Now
}

interface ClaimValues extends ClaimTerms {
  platforms: string[]
  /** How many deliveries may be claimed on each platform. */
  slots: number[]
}

/**
 * CTEs that claim the deliveries with these row ids. A delivery that is locked, or was changed since the statement
 * began, is left out. The account of each row of `claimed` has to be leased until the row's `claimable_at`. Time during
 * which the account was paused does not count as lateness: a delivery is due at the end of the pause.
 */
export const claimRows = (rowIds: ReturnType<typeof sql>, { leaseMs, state, now }: ClaimTerms) => sql`
    due as (
      select ctid as row_id, ${msSince(now, 'claimable_at')} as overdue_ms, state = 'publishing' as was_held
      from post_targets
      where ctid = any(array(${rowIds})) and claimable_at <= ${at(now)}
      for no key update skip locked
    ),
    -- By row id, the fastest access: the rows are locked, so they cannot move.
    claimed as (
      update post_targets as delivery
      set state = ${state},
        parked = false,
        lease_token = gen_random_uuid(),
        claimable_at = ${after(now, leaseMs)},
        due_at = greatest(delivery.due_at, (
          select resumed_at from accounts where accounts.id = delivery.account_id)),
        started_at = coalesce(delivery.started_at, ${at(now)})
      from due
      where delivery.ctid = due.row_id
      returning delivery.*, due.overdue_ms, due.was_held
    )`

/** The columns of a ClaimedDelivery, from `claimed` and `claimedTables`. */
export const claimedColumns = (now: Now) => sql`
      claimed.user_id, claimed.post_id, claimed.account_id, claimed.platform, claimed.lease_token, claimed.token,
      claimed.attempts as attempts_before, claimed.failures, claimed.error, claimed.intent, claimed.prepared,
      -- Older versions commit an intent without clearing waiting_since: their call is not one in processing.
      case when claimed.intent is null or claimed.waiting_since >= claimed.intended_at
        then ${msSince(now, 'claimed.waiting_since')} end as waited_ms,
      case when claimed.was_held and claimed.intent is not null then claimed.overdue_ms
        else ${msSince(now, 'claimed.lost_call_at')} end as lost_for_ms, claimed.overdue_ms, claimed.sent,
      claimed.started_at, ${msSince(now, 'claimed.due_at')} as late_ms, ${contentColumns('claimed')},
      accounts.alt_text_length_max, accounts.facts,
      ${reachableBy(sql`claimed.user_id`)} as reachable,
      (
        select coalesce(json_agg(facts order by position), '[]')
        from (
          select post_media.position, ${sentFileOf('claimed')} as facts
          from post_media join media on media.user_id = post_media.user_id and media.id = post_media.media_id
          left join ${renditionOf('claimed')}
          where post_media.user_id = claimed.user_id and post_media.post_id = claimed.post_id
            and ${isFileOf('claimed')}
          union all
          select (deleted.value -> 'position')::integer, deleted.value::json from jsonb_array_elements(claimed.deleted_files) as deleted
        ) as file) as media,
      account_credentials.key_id, account_credentials.data_key, account_credentials.data, account_credentials.generation,
      -- Postgres 16 subtracts no infinity, and its least() and greatest() ignore null.
      case when account_credentials.refresh_at is not null then greatest(0, extract(epoch from
        least(account_credentials.refresh_at, ${after(now, 60_000)}) - ${at(now)}) * 1000)::float8 end as refresh_in_ms,
      ${msSince(now, 'accounts.credentials_expire_at')} as expired_for_ms`

export const claimedTables = sql`
    left join posts on posts.user_id = claimed.user_id and posts.id = claimed.post_id
    left join accounts on accounts.id = claimed.account_id
    left join account_credentials on account_credentials.account_id = claimed.account_id`

/**
 * Claims due deliveries, and those whose worker let its lease end. Each platform gives at most as many as it has slots.
 * Each account gives its earliest one, if no other delivery of it is under way.
 *
 * A claim looks at the first due deliveries of each platform. It parks those that cannot be sent before others of their
 * account: the account is under way, has to rest, or has an earlier delivery. Parked deliveries leave the index of due
 * ones and are found through their account. A claim therefore does not slow down with the number of waiting deliveries:
 * with 20,000 on a resting account it takes 1 ms instead of 50. Each account is looked up once, so that no plan that
 * Postgres may choose costs more than that.
 *
 * The accounts are locked and changed as well, before their deliveries. A worker that waits for an account's row checks
 * it again when it gets the lock. If the row did not change, two workers could claim two deliveries of one account.
 */
const claim = prepared<ClaimValues & { from: string }, ClaimedDelivery & { parked: number }>(
  'claim_deliveries',
  (_db, value) => {
    const now = hidden('timestamptz', value('now'))
    const platforms = hidden('text[]', value('platforms'))
    const slots = hidden('integer[]', value('slots'))
    const from = hidden('uuid', value('from'))
    return sql`
    with recursive
    -- Start at a random account and wrap around, so that none starves.
    above(platform, account_id, rank) as (
      ${parkedAccounts('above', platforms, sql`account_id >= ${from}::uuid`, PARKED_ACCOUNTS_MAX)}
    ),
    below(platform, account_id, rank) as (
      ${parkedAccounts('below', platforms, sql`account_id < ${from}::uuid`, PARKED_ACCOUNTS_MAX)}
    ),
    network as (
      select * from unnest(${platforms}::text[], ${slots}::integer[]) as network(platform, slots)
    ),
    fresh as (
      select fresh.* from network, lateral (
        select ctid as row_id, platform, account_id from post_targets
        where platform = network.platform and not parked and claimable_at <= ${at(now)}
        order by claimable_at limit ${sql.lit(WINDOW)}) as fresh
    ),
    -- The earliest delivery of each available account.
    head as (
      select account.platform, account.account_id, earliest.row_id, earliest.claimable_at
      from (
          (select platform, account_id from fresh
            union select platform, account_id from above
            union select platform, account_id from below) ${FEW_ROWS}) as account,
        lateral (${availableAccount('account.account_id', now)}) as available,
        lateral (${earliestOf('available.id', now)}) as earliest
    ),
    -- Accounts that another worker has locked are skipped, so that workers claiming at the same time share them.
    locked_account as (
      select locked.id as account_id from network, lateral (
        select accounts.id from head join accounts on accounts.id = head.account_id
        where head.platform = network.platform and ${isAvailable(now)}
        order by head.claimable_at
        limit network.slots
        for no key update of accounts skip locked) as locked
    ),
    -- Parks only queued deliveries. A publishing one may still be held: parked, it would look due when its worker ends.
    behind as (
      select ctid as row_id from post_targets
      where ctid = any(array(select row_id from fresh except select row_id from head))
        and state = 'queued' and claimable_at <= ${at(now)}
      for no key update skip locked
    ),
    parked as (
      update post_targets as delivery set parked = true
      from behind
      where delivery.ctid = behind.row_id
      returning delivery.account_id
    ),
    ${claimRows(sql`select head.row_id from head join locked_account on locked_account.account_id = head.account_id`, {
      leaseMs: value('leaseMs'),
      state: value('state'),
      now,
    })},
    account as (
      update accounts set available_at = ${after(now, value('leaseMs'))}
      from claimed
      where accounts.id = claimed.account_id
    )
    -- At least one row, with the number of parked deliveries.
    select ${claimedColumns(now)}, parking.count as parked
    from (select count(*)::integer as count from parked) as parking
    left join claimed on true
    ${claimedTables}`
  },
)

/**
 * A value that Postgres does not see when it plans. Otherwise Postgres would expect a plan for these values to be
 * cheaper, because few deliveries are due, and plan at each claim. Planning takes 1.3 ms of CPU; a claim without due
 * deliveries takes 0.3.
 */
const hidden = <T>(type: string, value: T): T => sql`(select ${value}::${sql.raw(type)})` as T

/** Claims deliveries. A claim that only parked deliveries is repeated: more may be due behind them. */
export async function claimDeliveries(db: Db, values: ClaimValues): Promise<ClaimedDelivery[]> {
  for (;;) {
    const rows = await claim(db, { ...values, from: randomUUID() })
    const claimed = rows.filter(({ leaseToken }) => leaseToken !== null).map(({ parked, ...delivery }) => delivery)
    if (claimed.length > 0 || rows[0]!.parked === 0) return claimed
  }
}

/**
 * Claims what is due on the sandbox accounts of one user, the earliest delivery of each, by the clock of that user.
 * Other workers go by the real time: to them, an account is busy until the time at which it was last sent to.
 */
export const claimDeliveriesOf = prepared<ClaimTerms & { userId: string }, ClaimedDelivery>(
  'claim_deliveries_of_user',
  (_db, value) => {
    const now = value('now')
    return sql`
    with locked_account as (
      select accounts.id from accounts
      where id = any(array(${sandboxAccounts(sql`${value('userId')}::uuid`)})) and ${isAvailable(now)}
      order by id
      for no key update skip locked
    ),
    head as (
      select earliest.row_id from locked_account, lateral (${earliestOf('locked_account.id', now)}) as earliest
    ),
    ${claimRows(sql`select row_id from head`, { leaseMs: value('leaseMs'), state: value('state'), now })},
    account as (
      update accounts set available_at = ${after(now, value('leaseMs'))}
      from claimed
      where accounts.id = claimed.account_id
    )
    select ${claimedColumns(now)} from claimed ${claimedTables}`
  },
)
