import { type RawBuilder, sql } from 'kysely'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { PlatformId, PostType } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { after, at, type Now } from '../clock.ts'
import type { CredentialsRow } from '../credentials.ts'
import { isAvailable } from '../delivery/available.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'

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

/** The day in UTC. */
const dayOf = (now: Now) => sql`(${at(now)} at time zone 'UTC')::date`

interface ClaimValues {
  platforms: PlatformId[]
  /** The most calls of a UTC day on each of `platforms`; null does not restrict. */
  callMaxima: (number | null)[]
  leaseMs: number
  now: Now
}

/**
 * Claims the account whose posts have been due for the longest. An account that is being published to, or that has to
 * rest, is left to publishing.
 */
export const claimTurn = prepared<ClaimValues, MetricTurn>('claim_metric_turn', (_db, value) => {
  const now = value('now')
  return sql`
    with due as (
      select turn.account_id
      from metric_turns as turn
      join accounts on accounts.id = turn.account_id
      join unnest(${value('platforms')}::text[], ${value('callMaxima')}::integer[]) as network(platform, calls_max)
        on network.platform = turn.platform
      where turn.next_at <= ${at(now)} and ${isAvailable(now)}
        and (network.calls_max is null or coalesce((
          select calls from metric_calls
          where platform = network.platform and day = ${dayOf(now)}), 0) < network.calls_max)
      order by turn.next_at limit 1
      for no key update of turn skip locked
    ),
    claimed as (
      update metric_turns as turn
      set lease_token = gen_random_uuid(), next_at = ${after(now, value('leaseMs'))}
      from due where turn.account_id = due.account_id
      returning turn.*
    )
    select claimed.account_id, claimed.platform, claimed.lease_token, claimed.failures, accounts.scopes,
      credentials.key_id, credentials.data_key, credentials.data
    from claimed
    join accounts on accounts.id = claimed.account_id
    left join account_credentials as credentials
      on credentials.account_id = claimed.account_id and accounts.disconnected_at is null`
})

/** A post that is to be read. */
export interface DuePost extends DeliveryKey {
  id: string
  url: string | null
  /** The account's own id on its network. */
  externalId: string | null
  postType: PostType
  publishedAt: Date
}

const duePosts = (where: ReturnType<typeof sql>) => sql<DuePost>`
  select metrics.user_id, metrics.post_id, metrics.account_id, target.sent -> 0 ->> 'id' as id, target.sent -> 0 ->> 'url' as url, accounts.external_id, posts.post_type,
    target.published_at
  from delivery_metrics as metrics
  join post_targets as target
    on target.user_id = metrics.user_id and target.post_id = metrics.post_id and target.account_id = metrics.account_id
  join posts on posts.user_id = metrics.user_id and posts.id = metrics.post_id
  join accounts on accounts.id = metrics.account_id
  where ${where}`

/** The posts of an account that are due, or soon will be, so that one call reads more of them. */
export const findDuePosts = prepared<{ accountId: string; soonMs: number; limit: number; now: Now }, DuePost>(
  'find_due_metrics',
  (_db, value) => sql`
    ${duePosts(sql`
      metrics.account_id = ${value('accountId')}::uuid and metrics.next_at <= ${after(value('now'), value('soonMs'))}`)}
    order by metrics.next_at limit ${value('limit')}`,
)

/** The outcome of reading one post, as it is stored. */
export interface StoredReading extends DeliveryKey {
  /** Null if the reading failed, or the post is gone: what was read before stays. */
  counts: Record<string, number> | null
  missing?: Record<string, string>
  error?: DeliveryError
  isGone?: boolean
  /** Null if the post is not read again. */
  nextInMs: number | null
  keepsPoint: boolean
}

const toRow = ({ userId, postId, accountId, counts, missing, error, isGone, nextInMs, keepsPoint }: StoredReading) => ({
  ...{ user_id: userId, post_id: postId, account_id: accountId, counts, missing: missing ?? {}, error: error ?? null },
  ...{ is_gone: isGone ?? false, next_in_ms: nextInMs, keeps_point: keepsPoint },
})

/** Whether a webhook of the user, or one of all users, names the event. A webhook for all types does not. */
const isSubscribed = (userId: RawBuilder<unknown>) => sql`exists (
  select from webhooks
  where (webhooks.user_id = ${userId} or webhooks.all_users) and webhooks.disabled_at is null
    and webhooks.types && array['metrics.updated', 'metrics.*'])`

/** Stores readings and the point of the day of each, and writes events of numbers that have changed. */
export async function storeReadings(db: Db, readings: readonly StoredReading[], now: Now): Promise<void> {
  await sql`
    with item as (
      select item.*, before.counts as counts_before
      from jsonb_to_recordset(${JSON.stringify(readings.map(toRow))}::jsonb) as item(
        user_id uuid, post_id uuid, account_id uuid, counts jsonb, missing jsonb, error jsonb, is_gone boolean,
        next_in_ms float8, keeps_point boolean)
      join delivery_metrics as before
        on before.user_id = item.user_id and before.post_id = item.post_id and before.account_id = item.account_id
    ),
    stored as (
      update delivery_metrics as metrics
      set attempted_at = ${at(now)},
        fetched_at = case when item.counts is null then metrics.fetched_at else ${at(now)} end,
        counts = coalesce(item.counts, metrics.counts),
        missing = case when item.counts is null then metrics.missing else item.missing end,
        error = item.error,
        gone_at = case when item.is_gone then coalesce(metrics.gone_at, ${at(now)})
          when item.counts is null then metrics.gone_at end,
        next_at = ${at(now)} + item.next_in_ms * interval '1 ms'
      from item
      where metrics.user_id = item.user_id and metrics.post_id = item.post_id
        and metrics.account_id = item.account_id
      returning metrics.user_id, metrics.post_id, metrics.account_id, metrics.counts,
        item.counts is not null and item.keeps_point as keeps_point, metrics.counts <> item.counts_before as has_changed
    ),
    event as (
      insert into event_outbox (user_id, type, post_id, account_ids, data)
      select stored.user_id, 'metrics.updated', stored.post_id, array[stored.account_id],
        jsonb_build_object('platform', accounts.platform)
      from stored join accounts on accounts.id = stored.account_id
      where has_changed and ${isSubscribed(sql`stored.user_id`)}
    )
    insert into delivery_metric_points (user_id, post_id, account_id, day, counts)
    select user_id, post_id, account_id, ${dayOf(now)}, counts from stored where keeps_point
    on conflict (user_id, post_id, account_id, day) do update set counts = excluded.counts`.execute(db)
}

interface EndValues {
  accountId: string
  leaseToken: string
  /** The account rests for this time at least. */
  restMs: number
  failures: number
  /** The calls of the turn; 0 where nobody counts them. */
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

interface RefreshValues {
  userId: string
  postId: string
  /** Posts that were read within this time are left out. */
  pauseMs: number
  now: Now
}

/**
 * Begins to read the published deliveries of a post because its owner wants to. Adds those that no worker has found.
 * No other request begins the same within `pauseMs`.
 */
export async function beginRefresh(
  db: Db,
  { userId, postId, platforms, pauseMs, now }: RefreshValues & { platforms: PlatformId[] },
): Promise<(DuePost & Omit<MetricTurn, 'leaseToken' | 'failures'>)[]> {
  const { rows } = await sql<DuePost & Omit<MetricTurn, 'leaseToken' | 'failures'>>`
    with begun as (
      insert into delivery_metrics as metrics (user_id, post_id, account_id, attempted_at)
      select user_id, post_id, account_id, ${at(now)} from post_targets
      where user_id = ${userId} and post_id = ${postId} and published_at is not null
        and sent -> 0 ->> 'id' is not null and platform = any(${platforms}::text[])
      order by account_id
      on conflict (user_id, post_id, account_id) do update set attempted_at = excluded.attempted_at
      where coalesce(metrics.attempted_at, '-infinity') <= ${after(now, -pauseMs)}
      returning *
    ),
    turn as (
      insert into metric_turns (account_id, platform, next_at)
      select target.account_id, target.platform, ${after(now, pauseMs)}
      from begun join post_targets as target
        on target.user_id = begun.user_id and target.post_id = begun.post_id and target.account_id = begun.account_id
      on conflict do nothing
    )
    select begun.user_id, begun.post_id, begun.account_id, target.sent -> 0 ->> 'id' as id, target.sent -> 0 ->> 'url' as url, accounts.external_id, posts.post_type,
      target.published_at, target.platform, accounts.scopes,
      credentials.key_id, credentials.data_key, credentials.data
    from begun
    join post_targets as target
      on target.user_id = begun.user_id and target.post_id = begun.post_id and target.account_id = begun.account_id
    join posts on posts.user_id = begun.user_id and posts.id = begun.post_id
    join accounts on accounts.id = begun.account_id
    left join account_credentials as credentials
      on credentials.account_id = begun.account_id and accounts.disconnected_at is null`.execute(db)
  return rows
}
