import { type RawBuilder, sql } from 'kysely'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { claimBehindPostponed, claimOne } from '../claim-one.ts'
import { after, at, dayOf, type Now, type NowOrColumn } from '../clock.ts'
import type { CredentialsRow } from '../credentials.ts'
import { endOfSharedRest, isFree } from '../delivery/available.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'
import { isoTime } from '../iso-time.ts'

/** An account whose posts a worker reads now. The credentials are null where the account is disconnected. */
export interface MetricTurn extends Record<keyof CredentialsRow, CredentialsRow[keyof CredentialsRow] | null> {
  accountId: string
  platform: PlatformId
  leaseToken: string
  failures: number
  scopes: string[] | null
  keyId: string | null
  dataKey: Buffer | null
  data: Buffer | null
}

/** The networks that are read. */
interface ReadNetworks {
  platforms: PlatformId[]
  /** The most calls of a UTC day on each of `platforms`; null does not restrict. */
  callMaxima: (number | null)[]
}

interface ClaimValues extends ReadNetworks {
  leaseMs: number
  /** For how long a turn is postponed. */
  postponeMs: number
  now: Now
}

/** The body of a CTE: the networks, and whether calls of this day are left. */
const networksAt = (now: NowOrColumn, platforms: RawBuilder<unknown>, callMaxima: RawBuilder<unknown>) => sql`
  select network.platform, network.calls_max,
    network.calls_max is null or coalesce(spent.calls, 0) < network.calls_max as has_calls
  from unnest(${platforms}::text[], ${callMaxima}::integer[]) as network(platform, calls_max)
  left join metric_calls as spent on spent.platform = network.platform and spent.day = ${dayOf(now)}`

type ClaimRow = { [K in keyof MetricTurn]: MetricTurn[K] | null } & { postponed: number }

/**
 * Claims one of the accounts whose posts have been due for the longest. An account that is being published to, or has
 * to rest, is left to publishing: its turn is postponed, so that it does not stand in front of others.
 */
const claim = prepared<ClaimValues, ClaimRow>('claim_metric_turn', (_db, value) => {
  const now = value('now')
  const isReadable = sql`(${isFree(now)}
    and coalesce((select has_calls from network where network.platform = due.platform), false))`
  return sql`
    with network as materialized (${networksAt(now, sql`${value('platforms')}`, sql`${value('callMaxima')}`)}),
    ${claimOne('metric_turns', { isFree: isReadable, leaseMs: value('leaseMs'), postponeMs: value('postponeMs'), now })}
    -- At least one row, with the number of postponed turns.
    select postponing.count as postponed, held.account_id, held.platform, held.lease_token, held.failures,
      accounts.scopes, credentials.key_id, credentials.data_key, credentials.data
    from (select count(*)::integer as count from postponed) as postponing
    left join held on true
    left join accounts on accounts.id = held.account_id
    left join account_credentials as credentials
      on credentials.account_id = held.account_id and accounts.disconnected_at is null`
})

export async function claimTurn(db: Db, values: ClaimValues): Promise<MetricTurn | undefined> {
  const row = await claimBehindPostponed(
    () => claim(db, values),
    ({ leaseToken }) => leaseToken !== null,
  )
  if (!row) return undefined
  const { postponed, ...turn } = row
  return turn as MetricTurn
}

/** A post that is to be read. */
export interface DuePost extends DeliveryKey {
  id: string
  ref: string | null
  url: string | null
  /** The account's own id on its network. */
  externalId: string | null
  postType: PostType
  publishedAt: Date
  /** Whether its network does not show it any more. */
  isGone: boolean
  /** Whether its numbers were read on this UTC day, for which a network charges once. */
  isReadToday: boolean
}

/** The columns of `DuePost`, for rows of `delivery_metrics`. */
const dueColumns = (metrics: string, now: Parameters<typeof dayOf>[0]) => sql`
  ${sql.ref(metrics)}.user_id, ${sql.ref(metrics)}.post_id, ${sql.ref(metrics)}.account_id,
  target.sent -> 0 ->> 'id' as id, target.sent -> 0 ->> 'ref' as ref, target.sent -> 0 ->> 'url' as url, accounts.external_id, posts.post_type,
  target.published_at, target.gone_at is not null as is_gone,
  coalesce((${sql.ref(metrics)}.fetched_at at time zone 'UTC')::date = ${dayOf(now)}, false) as is_read_today`

/** The posts of an account that are due, or soon will be, so that one call reads more of them. */
export const findDuePosts = prepared<{ accountId: string; soonMs: number; limit: number; now: Now }, DuePost>(
  'find_due_metrics',
  (_db, value) => sql`
    select ${dueColumns('metrics', value('now'))}
    from delivery_metrics as metrics
    join post_targets as target
      on target.user_id = metrics.user_id and target.post_id = metrics.post_id
        and target.account_id = metrics.account_id
    join posts on posts.user_id = metrics.user_id and posts.id = metrics.post_id
    join accounts on accounts.id = metrics.account_id
    where metrics.account_id = ${value('accountId')}::uuid
      and metrics.next_at <= ${after(value('now'), value('soonMs'))}
    order by metrics.next_at limit ${value('limit')}`,
)

interface EndValues {
  accountId: string
  leaseToken: string
  /** The account rests for this time at least. */
  restMs: number
  failures: number
  /** The calls of the turn; 0 if its network has no quota of calls. */
  calls: number
  now: Now
}

/** Ends a turn: the next one is when the next post of the account is due. */
export const endTurn = prepared<EndValues, never>('end_metric_turn', (_db, value) => {
  const now = value('now')
  return sql`
    with ended as (
      update metric_turns
      set lease_token = null, failures = ${value('failures')},
        next_at = (
          select greatest(next_at, ${after(now, value('restMs'))}) from delivery_metrics
          where account_id = ${value('accountId')}::uuid and next_at is not null order by next_at limit 1)
      where account_id = ${value('accountId')}::uuid and lease_token = ${value('leaseToken')}::uuid
      returning platform
    ),
    earlier as (
      delete from metric_calls using ended
      where metric_calls.platform = ended.platform and day < ${dayOf(now)}
    )
    insert into metric_calls (platform, day, calls)
    select platform, ${dayOf(now)}, ${value('calls')} from ended where ${value('calls')}::integer > 0
    on conflict (platform, day) do update set calls = metric_calls.calls + excluded.calls`
})

/** Lets an account rest after a refresh that failed. A turn that is under way decides by itself. */
export const restTurn = prepared<{ accountId: string; restMs: number; now: Now }, never>(
  'rest_metric_turn',
  (_db, value) => sql`
    update metric_turns
    set failures = greatest(failures, 1), next_at = greatest(next_at, ${after(value('now'), value('restMs'))})
    where account_id = ${value('accountId')}::uuid and lease_token is null`,
)

interface RefreshValues extends ReadNetworks {
  userId: string
  postId: string
  /** Only the delivery to this account; null for all of them. */
  accountId: string | null
  /** Posts that were read within this time are left out. */
  pauseMs: number
  now: Now
}

type RefreshedPost = DuePost & Omit<MetricTurn, 'leaseToken' | 'failures'>

/** A delivery that is not read before this time, because publishing needs its account or the quota of its network. */
interface HeldBack {
  accountId: string
  heldUntil: string
}

/** Until when an account is left to publishing, by the rules of a worker's turns; null if it may be read. */
const heldUntil = (now: Now) => sql`nullif(greatest(${at(now)}, accounts.available_at, ${endOfSharedRest},
  case when not network.has_calls then (${dayOf(now)} + 1)::timestamp at time zone 'UTC' end,
  case when turn.failures > 0 and turn.lease_token is null and exists (
      select from delivery_metrics as other
      where other.account_id = accounts.id and other.next_at is not null and other.error ->> 'code' = 'rate_limited')
    then turn.next_at end), ${at(now)})`

/**
 * Begins to read the published deliveries of a post because its owner wants to. Adds those that no worker has found.
 * No other request begins the same within `pauseMs`. Its calls count towards the quotas of the day.
 */
export async function beginRefresh(
  db: Db,
  { userId, postId, accountId, platforms, callMaxima, pauseMs, now }: RefreshValues,
): Promise<{ begun: RefreshedPost[]; held: HeldBack[] }> {
  const isOld = (metrics: string) =>
    sql`coalesce(${sql.ref(`${metrics}.attempted_at`)}, '-infinity') <= ${after(now, -pauseMs)}`
  const { rows } = await sql<RefreshedPost & HeldBack>`
    with network as materialized (${networksAt(now, sql`${platforms}`, sql`${callMaxima}`)}),
    wanted as (
      select target.user_id, target.post_id, target.account_id, target.platform, ${heldUntil(now)} as held_until
      from post_targets as target
      join network on network.platform = target.platform
      join accounts on accounts.id = target.account_id
      left join metric_turns as turn on turn.account_id = target.account_id
      left join delivery_metrics as metrics
        on metrics.user_id = target.user_id and metrics.post_id = target.post_id
          and metrics.account_id = target.account_id
      where target.user_id = ${userId} and target.post_id = ${postId} and target.published_at is not null
        and target.state not in ('removing', 'removed')
        and (${accountId}::uuid is null or target.account_id = ${accountId}::uuid)
        and target.sent -> 0 ->> 'id' is not null and ${isOld('metrics')}
    ),
    begun as (
      insert into delivery_metrics as metrics (user_id, post_id, account_id, attempted_at)
      select user_id, post_id, account_id, ${at(now)} from wanted where held_until is null
      order by account_id
      on conflict (user_id, post_id, account_id) do update set attempted_at = excluded.attempted_at
      where ${isOld('metrics')}
      returning *
    ),
    turn as (
      insert into metric_turns (account_id, platform, next_at)
      select wanted.account_id, wanted.platform, ${after(now, pauseMs)}
      from begun join wanted on wanted.account_id = begun.account_id
      on conflict do nothing
    ),
    spent as (
      insert into metric_calls (platform, day, calls)
      select network.platform, ${dayOf(now)}, count(*)
      from begun
      join wanted on wanted.account_id = begun.account_id
      join network on network.platform = wanted.platform
      where network.calls_max is not null
      group by network.platform
      on conflict (platform, day) do update set calls = metric_calls.calls + excluded.calls
    )
    select ${dueColumns('begun', now)}, wanted.account_id, wanted.platform, accounts.scopes, credentials.key_id,
      credentials.data_key, credentials.data, ${isoTime('wanted.held_until')} as held_until
    from wanted
    left join begun on begun.account_id = wanted.account_id
    join post_targets as target
      on target.user_id = wanted.user_id and target.post_id = wanted.post_id and target.account_id = wanted.account_id
    join posts on posts.user_id = wanted.user_id and posts.id = wanted.post_id
    join accounts on accounts.id = wanted.account_id
    left join account_credentials as credentials
      on credentials.account_id = wanted.account_id and accounts.disconnected_at is null
    where begun.account_id is not null or wanted.held_until is not null`.execute(db)
  return {
    begun: rows.filter(({ heldUntil }) => heldUntil === null),
    held: rows.filter(({ heldUntil }) => heldUntil !== null),
  }
}
