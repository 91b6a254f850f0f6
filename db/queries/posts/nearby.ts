import { type RawBuilder, sql } from 'kysely'
import type { PostType } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { isoTime } from '../iso-time.ts'
import { jsonColumns } from '../json-columns.ts'
import type { QueuedDelivery } from '../queue.ts'
import { userNow } from '../user-now.ts'

/** The terms by which other posts of an account are near a delivery. */
export interface NearbyTerms {
  /** Null for a delivery without a text. */
  textDigest: string | null
  /** The number of posts that the network allows in 24 hours. Null if it states none. */
  dayMax: number | null
  /** The number of posts from which on they are reported. */
  dayFrom: number | null
  /** The post types that count. Null for all. */
  dayTypes: readonly PostType[] | null
}

export interface OtherPost {
  /** Null for a post of another user. */
  postId: string | null
  /** When it is due, or was published. */
  at: string
}

/** Other posts of an account that the author of a post should know of. */
export interface Nearby {
  accountId: string
  /** One with the same text, due within 7 days. */
  repeated: OtherPost | null
  /** One that is due within the gap. */
  near: OtherPost | null
  /** The number of posts in the 24 hours before. Null if it is below `dayFrom`. */
  today: number | null
}

export const DAY_COLUMNS = jsonColumns({ dayMax: 'integer', dayFrom: 'integer', dayTypes: 'text[]' })

const other = (at: ReturnType<typeof sql.ref>) => sql`jsonb_build_object(
  'postId', case when other.user_id = wanted.user_id then other.post_id end, 'at', ${isoTime(at)})`

/** Whether the other post counts for the limit of a day. Most limits count all posts. */
const isCounted = sql`(wanted.day_types is null or exists (
  select from posts
  where posts.user_id = other.user_id and posts.id = other.post_id and posts.post_type = any(wanted.day_types)))`

const isOther = sql`other.account_id = wanted.account_id and other.post_id is distinct from wanted.post_id`
/** Served by `post_targets_next_of_account`. */
const isQueued = sql`${isOther} and other.claimable_at is not null`
/** Served by `delivery_attempts_intended_at`. The first act is the post. */
const isPublished = sql`${isOther} and other.act = 1 and other.outcome in ('published', 'found')`
const gap = sql`wanted.gap_ms * interval '1 ms'`

/**
 * A row for each row of `wanted`, which has the user, post, account and time of a delivery, its terms and the gap.
 * Every part reads few entries of an index: this runs within the statement that creates posts.
 */
const nearbyRowAmong = (deliveries: RawBuilder<unknown>) => sql`(
  select
    (select ${other(sql.ref('other.due_at'))}
      from (
        select user_id, post_id, due_at, state from ${deliveries} as other
        where ${isOther} and other.text_digest = wanted.text_digest
          and other.due_at between wanted.due_at - interval '7 days' and wanted.due_at + interval '7 days'
        order by other.due_at desc
        limit 20) as other
      where other.state in ('queued', 'publishing', 'published', 'unconfirmed', 'remove_failed')
      limit 1) as repeated,
    coalesce(
      (select ${other(sql.ref('other.due_at'))} from ${deliveries} as other
        where ${isQueued} and other.due_at between wanted.due_at - ${gap} and wanted.due_at + ${gap}
        order by other.due_at
        limit 1),
      case when wanted.due_at - ${gap} < ${userNow(sql.ref<string>('wanted.user_id'))} then (
        select ${other(sql.ref('other.intended_at'))} from delivery_attempts as other
        where ${isPublished} and other.intended_at > wanted.due_at - ${gap}
        order by other.intended_at desc
        limit 1) end) as near,
    case when wanted.day_max is not null then (
      select nullif(greatest(sum(count), wanted.day_from - 1), wanted.day_from - 1)::integer
      from (
        select count(*) as count from (
          select from ${deliveries} as other
          where ${isQueued} and ${isCounted}
            and other.due_at > wanted.due_at - interval '1 day' and other.due_at <= wanted.due_at
          limit wanted.day_max) as queued
        union all
        select count(*) as count from (
          select from delivery_attempts as other
          where ${isPublished} and ${isCounted}
            and other.intended_at > wanted.due_at - interval '1 day' and other.intended_at <= wanted.due_at
          limit wanted.day_max) as published) as counts) end as today
  -- Otherwise Postgres would run the subqueries once for each use of their columns.
  offset 0)`

export const nearbyRow = nearbyRowAmong(sql`post_targets`)

/**
 * The rows of `wanted` that may have a row of `nearbyRow` with something in it. Plain joins take a fifth of the time of
 * its subqueries, and most posts have nothing near.
 */
export const mayHaveNearby = sql`
  select wanted.post_id, wanted.account_id
  from wanted
  join post_targets as other on other.account_id = wanted.account_id and other.text_digest = wanted.text_digest
    and other.due_at between wanted.due_at - interval '7 days' and wanted.due_at + interval '7 days'
  union all
  select wanted.post_id, wanted.account_id
  from wanted
  join post_targets as other on other.account_id = wanted.account_id and other.claimable_at is not null
    and other.due_at between wanted.due_at - ${gap} and wanted.due_at + ${gap}
  union all
  select wanted.post_id, wanted.account_id
  from wanted
  where wanted.day_max is not null or wanted.due_at - ${gap} < ${userNow(sql.ref<string>('wanted.user_id'))}`

export const hasNearby = sql`(found.repeated is not null or found.near is not null or found.today is not null)`

/** A post on an account, with the account's terms. The user may use the account. */
export interface WantedDelivery extends NearbyTerms {
  ordinal: number
  userId: string
  /** Null for a post that is not stored. */
  postId: string | null
  accountId: string
  dueAt: Date
}

interface NearbySearch {
  wanted: string
  gapMs: number | null
}

const selectAmong = (value: <K extends keyof NearbySearch>(key: K) => NearbySearch[K], row: RawBuilder<unknown>) => sql<
  Nearby & { ordinal: number }
>`
  select wanted.ordinal, wanted.account_id, found.*
  from (
    select item.*, ${value('gapMs')}::float8 as gap_ms
    from jsonb_to_recordset(${value('wanted')}::jsonb) as item(
      ordinal integer, user_id uuid, post_id uuid, account_id uuid, due_at timestamptz, text_digest bigint,
      ${DAY_COLUMNS.definitions})) as wanted
  cross join lateral ${row} as found
  where ${hasNearby}`

const selectNearby = prepared<NearbySearch, Nearby & { ordinal: number }>('read_nearby', (_db, value) =>
  selectAmong(value, nearbyRow),
)

/** The deliveries once those in `moved` have moved. Each branch is served by the indexes of the table. */
const movedDeliveries = sql`(
  select user_id, post_id, account_id, text_digest, due_at, claimable_at, state from post_targets
  where (user_id, post_id, account_id) not in (select user_id, post_id, account_id from moved)
  union all
  select user_id, post_id, account_id, text_digest, moved.slot_at, moved.slot_at, state
  from moved join post_targets using (user_id, post_id, account_id))`

const selectNearbyMoved = prepared<NearbySearch & { moves: string }, Nearby & { ordinal: number }>(
  'read_nearby_moved',
  (_db, value) => sql`
    with moved as materialized (
      select "userId" as user_id, "postId" as post_id, "accountId" as account_id, "slotAt" as slot_at
      from jsonb_to_recordset(${value('moves')}::jsonb)
        as move("userId" uuid, "postId" uuid, "accountId" uuid, "slotAt" timestamptz))
    ${selectAmong(value, nearbyRowAmong(movedDeliveries))}`,
)

/** The other posts near these deliveries, where there are any. They count at the times that `moves` gives them. */
export function readNearby(
  db: Db,
  wanted: WantedDelivery[],
  { gapMs, moves }: { gapMs: number | null; moves: readonly QueuedDelivery[] },
) {
  const search = {
    gapMs,
    wanted: JSON.stringify(
      wanted.map(({ ordinal, userId, postId, accountId, dueAt, textDigest, ...terms }) => ({
        ordinal,
        user_id: userId,
        post_id: postId,
        account_id: accountId,
        due_at: dueAt,
        text_digest: textDigest,
        ...DAY_COLUMNS.toJson(terms),
      })),
    ),
  }
  return moves.length > 0
    ? selectNearbyMoved(db, { ...search, moves: JSON.stringify(moves) })
    : selectNearby(db, search)
}
