import { sql } from 'kysely'
import { QUEUE_MOVES_MAX } from '../../schemas/errors.ts'
import { each } from '../batch.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { postEvent } from './events/post.ts'
import { userNow } from './user-now.ts'

/** A delivery in a slot that the queue has chosen. */
export interface QueuedDelivery {
  userId: string
  postId: string
  accountId: string
  slotAt: Date
}

/** Who moves posts from slot to slot. */
export interface Mover {
  userId: string
  /** The accounts that the key of the request lists; null for all. */
  accountIds: readonly string[] | null
}

/** Whether the mover may change the post of a row of `post_targets`: its owner, or an admin of its organisation. */
const isMovers = (userId: string) => sql`(user_id = ${userId}::uuid or exists (
  select from posts
  join memberships on memberships.organization_id = posts.organization_id
  where posts.user_id = post_targets.user_id and posts.id = post_targets.post_id
    and memberships.user_id = ${userId}::uuid and memberships.role = 'admin'))`

interface MovableRange {
  /** Later slots of an account stay as they are. */
  accounts: readonly { id: string; until: Date }[]
  /** Earlier slots have passed. */
  from: Date
  /** A post whose deliveries are left out. Null: none. */
  exceptPostId: string | null
}

/** Queued deliveries, all of their posts locked, or none if there are more than `QUEUE_MOVES_MAX`. */
export interface Movable {
  isTooLong: boolean
  deliveries: QueuedDelivery[]
}

interface MovableSearch extends Omit<MovableRange, 'accounts'> {
  accountIds: readonly string[]
  untils: readonly Date[]
  userId: string
  listedIds: readonly string[] | null
}

const LIMIT = sql.lit(QUEUE_MOVES_MAX + 1)

/**
 * Postgres expects few rows of a CTE. All lookups are by the primary key: a join of two CTEs would compare each of
 * their rows with each other.
 */
const selectMovable = prepared<MovableSearch, Partial<QueuedDelivery> & { count: number }>(
  'lock_movable',
  (_db, value) => sql`
    with found as materialized (
      select user_id, post_id
      from unnest(${value('accountIds')}::uuid[], ${value('untils')}::timestamptz[]) as account(id, until)
      join post_targets on account_id = account.id and slot_at > ${value('from')} and slot_at <= account.until
        and due_at = slot_at and claimable_at is not null and state = 'queued' and ${isMovers(value('userId'))}
        and post_id is distinct from ${value('exceptPostId')}::uuid
      limit ${LIMIT}
    ),
    total as materialized (select count(*)::integer as count from found),
    delivery as materialized (
      select post_targets.user_id, post_targets.post_id, account_id, slot_at, due_at, state, started_at, failures
      from (select distinct user_id, post_id from found where (select count from total) < ${LIMIT}) as wanted
      join posts on posts.user_id = wanted.user_id and posts.id = wanted.post_id and posts.status = 'scheduled'
      join post_targets on post_targets.user_id = wanted.user_id and post_targets.post_id = wanted.post_id
      for update of posts, post_targets skip locked
    ),
    locked as (
      select *, count(*) over post as post_count, bool_or(state = 'publishing') over post as is_busy,
        count(*) over (partition by user_id, post_id, due_at) as time_count
      from delivery window post as (partition by user_id, post_id)
    )
    select total.count, movable.*
    from total left join (
      select user_id, post_id, account_id, slot_at
      from locked
      where account_id = any(${value('accountIds')}::uuid[]) and slot_at > ${value('from')} and due_at = slot_at
        and state = 'queued' and started_at is null and failures = 0 and not is_busy and time_count = 1
        -- All deliveries of the post are locked, and go to accounts that the key lists.
        and post_count = (
          select count(*) filter (
            where whole.account_id = any(coalesce(${value('listedIds')}::uuid[], array[whole.account_id])))
          from post_targets as whole where whole.user_id = locked.user_id and whole.post_id = locked.post_id
          having count(*) = locked.post_count)
    ) as movable on true
    order by slot_at, post_id`,
)

/**
 * Locks the deliveries of accounts that may change their slots, in the order of these. Posts that another request or a
 * worker holds stay where they are: this request may hold what they wait for. So do posts that have begun, that several
 * accounts publish at one time, or that go to accounts that the key does not list.
 */
export async function lockMovable(
  db: Db,
  { accounts, ...range }: MovableRange,
  { userId, accountIds: listedIds }: Mover,
): Promise<Movable> {
  const ranges = { ...range, accountIds: each(accounts, 'id'), untils: each(accounts, 'until') }
  const rows = await selectMovable(db, { ...ranges, userId, listedIds })
  return {
    isTooLong: rows[0]!.count > QUEUE_MOVES_MAX,
    deliveries: rows.flatMap(({ userId, postId, accountId, slotAt }) =>
      userId && postId && accountId && slotAt ? [{ userId, postId, accountId, slotAt }] : [],
    ),
  }
}

/**
 * Moves deliveries that `lockMovable` has locked to other slots. A post whose accounts all have slots is due in the
 * first of them. The budgets of the keys that have scheduled the posts go on paying for them.
 */
export async function moveToSlots(db: Db, moves: readonly QueuedDelivery[]): Promise<void> {
  for (let first = 0; first < moves.length; first += MOVES_PER_STATEMENT) {
    await moveSome(db, moves.slice(first, first + MOVES_PER_STATEMENT))
  }
}

/** The trigger for events compares each changed row with all of its statement. */
const MOVES_PER_STATEMENT = 50

async function moveSome(db: Db, moves: readonly QueuedDelivery[]): Promise<void> {
  const items = JSON.stringify(
    moves.map(({ userId, postId, accountId, slotAt }) => ({
      user_id: userId,
      post_id: postId,
      account_id: accountId,
      slot_at: slotAt,
    })),
  )
  await sql`
    with move as (
      select * from jsonb_to_recordset(${items}::jsonb)
        as move(user_id uuid, post_id uuid, account_id uuid, slot_at timestamptz)
    ),
    time as (
      select delivery.user_id, delivery.post_id, delivery.account_id, move.slot_at, due.at,
        posts.scheduled_at as post_at, delivery.own_scheduled_at as own_at,
        bool_and(move.slot_at is not null or delivery.slot_at is not distinct from due.at) over post as is_queued,
        min(due.at) over post as first_at
      from posts
      join post_targets as delivery on delivery.user_id = posts.user_id and delivery.post_id = posts.id
      left join move on move.user_id = delivery.user_id and move.post_id = delivery.post_id
        and move.account_id = delivery.account_id
      cross join lateral (
        select coalesce(move.slot_at, delivery.own_scheduled_at, posts.scheduled_at) as at) as due
      where (posts.user_id, posts.id) in (select user_id, post_id from move)
      window post as (partition by delivery.user_id, delivery.post_id)
    ),
    target as (
      select time.*, new.post_at as new_post_at,
        case when is_queued or slot_at is not null then nullif(at, new.post_at) else own_at end as new_own_at
      from time
      cross join lateral (select case when is_queued then first_at else post_at end as post_at) as new
    ),
    change as (
      select user_id, post_id, new_post_at as scheduled_at, is_queued,
        bool_or(new_post_at <> post_at) as moves_post, bool_or(new_own_at is distinct from own_at) as moves_own
      from target group by user_id, post_id, new_post_at, is_queued
    ),
    moved as (
      update post_targets as delivery
      set own_scheduled_at = target.new_own_at,
        slot_at = coalesce(target.slot_at, delivery.slot_at),
        due_at = coalesce(target.slot_at, delivery.due_at),
        claimable_at = coalesce(target.slot_at, delivery.claimable_at)
      from target
      where delivery.user_id = target.user_id and delivery.post_id = target.post_id
        and delivery.account_id = target.account_id
        and (target.slot_at is not null or target.new_own_at is distinct from target.own_at)
    ),
    post as (
      update posts
      set scheduled_at = change.scheduled_at,
        local_schedule = case when not change.is_queued then posts.local_schedule end,
        updated_at = ${userNow(sql.ref<string>('posts.user_id'))}
      from change
      where posts.user_id = change.user_id and posts.id = change.post_id
      returning posts.*, change.moves_post, change.moves_own
    )
    insert into event_outbox (user_id, type, post_id, account_ids, data)
    select user_id, 'post.updated', id,
      (select array_agg(account_id order by position, account_id) from post_targets
        where post_targets.user_id = post.user_id and post_targets.post_id = post.id),
      ${postEvent('post')} || jsonb_build_object('changed', array_remove(array[
        case when moves_post then 'scheduledAt' end, case when moves_own then 'overrides' end], null))
    from post
    order by user_id, id`.execute(db)
}
