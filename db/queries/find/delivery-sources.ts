import { type RawBuilder, sql } from 'kysely'
import { scheduledTime } from '../posts/targets.ts'
import { isOfAccount, placeOfAccount } from './account.ts'
import { isInTimes, type PostConditions, TROUBLED } from './conditions.ts'
import { hasMark, isMarked, isMember, isOfOrganization, isOfUser, isShared, ofMembers } from './organization.ts'
import { WINDOW, WINDOW_WITH_LOOKUP } from './walk.ts'

/** Conditions on the deliveries of a list. Null does not restrict. */
export type DeliveryConditions = Pick<
  PostConditions,
  | 'userId'
  | 'organizationId'
  | 'isMarked'
  | 'listedAccountIds'
  | 'states'
  | 'errorCode'
  | 'accountId'
  | 'accountTag'
  | 'taggedAccountIds'
  | 'platform'
  | 'scheduledFrom'
  | 'scheduledBefore'
>

/** The walk begins after this delivery. The time is text that Postgres reads, such as `infinity`. */
export interface DeliveryPlace {
  afterTime: string
  afterPostId: string
  afterAccountId: string
}

export type DeliveryWalk = DeliveryConditions & DeliveryPlace
const byPost = (condition: RawBuilder<unknown>, values: DeliveryWalk) => sql`
  select * from post_targets
  where user_id = ${values.userId}::uuid and ${condition}
    and (post_id, account_id) < (${values.afterPostId}::uuid, ${values.afterAccountId}::uuid)
  order by post_id desc, account_id desc`

/**
 * The deliveries that meet the condition, of one post after the other. The limit makes Postgres look them up in this
 * order.
 */
const ofPosts = (posts: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`
  select delivery.*, post.scheduled_at as placed_at from (${posts} limit ${sql.lit(WINDOW)}) as post
  cross join lateral (
    select * from post_targets
    where user_id = post.user_id and post_id = post.id and ${condition}
    order by account_id desc
    limit ${sql.lit(WINDOW)}) as delivery`

/**
 * The first deliveries of a walk by time: those of posts, merged with those at times of their own. Postgres sorts them,
 * as it does not know that those of one post are in order.
 */
const byTime = (posts: RawBuilder<unknown>, own: RawBuilder<unknown>) => sql`
  select * from ((${posts} limit ${sql.lit(WINDOW_WITH_LOOKUP)}) union all (${own})) as walk order by ${ORDERS.scheduled}`

/**
 * All deliveries of posts stand at the times of their posts, so that each post has one. `isItsPlace` leaves out those
 * that have another time of their own.
 */
const byScheduledPost = (owner: RawBuilder<unknown>, values: DeliveryWalk) =>
  ofPosts(
    sql`
      select user_id, id, scheduled_at from posts
      where ${owner} and scheduled_at is not null
        and (scheduled_at, id) <= (${values.afterTime}::timestamptz, ${values.afterPostId}::uuid)
        and scheduled_at >= ${values.scheduledFrom ?? '-infinity'}::timestamptz
      order by scheduled_at desc, id desc`,
    sql`(post.scheduled_at, post.id, account_id)
        < (${values.afterTime}::timestamptz, ${values.afterPostId}::uuid, ${values.afterAccountId}::uuid)`,
  )

/** The deliveries at times of their own. One at the time of its post is in the other half of the walk. */
const byOwnTime = (values: DeliveryWalk) => sql`
  select delivery.*, own_scheduled_at as placed_at
  from (
    select * from post_targets
    where ${isOfUser(values)} and own_scheduled_at is not null
      and (own_scheduled_at, post_id, account_id)
        < (${values.afterTime}::timestamptz, ${values.afterPostId}::uuid, ${values.afterAccountId}::uuid)
      and own_scheduled_at >= ${values.scheduledFrom ?? '-infinity'}::timestamptz
    order by own_scheduled_at desc, post_id desc, account_id desc
    limit ${sql.lit(WINDOW_WITH_LOOKUP)}) as delivery
  cross join lateral (
    select scheduled_at from posts where user_id = delivery.user_id and id = delivery.post_id limit 1) as post
  where post.scheduled_at <> own_scheduled_at
  order by own_scheduled_at desc, post_id desc, account_id desc`

/** Whether the row `delivery` of a walk by time stands at the time of the delivery. */
const isItsPlace = sql`(delivery.own_scheduled_at is null or delivery.own_scheduled_at = delivery.placed_at)`

/** The indexes that deliveries are found by. All but `changed` put the newest first. */
const SOURCES = {
  all: (values: DeliveryWalk) => byPost(sql`true`, values),
  troubled: (values: DeliveryWalk) => byPost(TROUBLED, values),
  account: (values: DeliveryWalk) => sql`
    select * from post_targets
    where ${isOfAccount(values)}
      and (account_id, user_id, post_id) < ${placeOfAccount(values, sql`${values.afterPostId}::uuid`)}
    order by post_id desc`,
  changed: (values: DeliveryWalk) => sql`
    select * from post_targets
    where user_id = ${values.userId}::uuid and changed_at is not null
      and (changed_at, post_id, account_id)
        > (${values.afterTime}::timestamptz, ${values.afterPostId}::uuid, ${values.afterAccountId}::uuid)
    order by changed_at, post_id, account_id`,
  scheduled: (values: DeliveryWalk) => byTime(byScheduledPost(isOfUser(values), values), byOwnTime(values)),
}

export type DeliverySource = keyof typeof SOURCES

/** The same for the posts that are marked as those of an organisation. Sources that are absent have no such index. */
const MARKED_SOURCES: Partial<Record<DeliverySource, (values: DeliveryWalk) => RawBuilder<unknown>>> = {
  all: (values) =>
    ofPosts(
      sql`
        select user_id, id, scheduled_at from posts
        where ${hasMark(values)} and id <= ${values.afterPostId}::uuid
        order by id desc`,
      sql`(post.id, account_id) < (${values.afterPostId}::uuid, ${values.afterAccountId}::uuid)`,
    ),
  scheduled: (values) =>
    byTime(byScheduledPost(hasMark(values), values), firstOfMembers('scheduled', values, byOwnTime)),
}

/** The order of each source, which deliveries of several members are merged in. */
const ORDERS: Record<DeliverySource, RawBuilder<unknown>> = {
  all: sql`walk.post_id desc, walk.account_id desc`,
  troubled: sql`walk.post_id desc, walk.account_id desc`,
  account: sql`walk.post_id desc`,
  changed: sql`walk.changed_at, walk.post_id, walk.account_id`,
  scheduled: sql`walk.placed_at desc, walk.post_id desc, walk.account_id desc`,
}

/** The time that sorts the deliveries of a source, before their ids. A cursor has it. */
export const SORTED_BY: Partial<Record<DeliverySource, string>> = {
  changed: 'delivery.changed_at',
  scheduled: 'delivery.placed_at',
}

/** The first `limit` deliveries of the walks of all members. */
const firstOfMembers = (
  source: DeliverySource,
  values: DeliveryWalk,
  walk: (member: DeliveryWalk) => RawBuilder<unknown>,
  limit = WINDOW_WITH_LOOKUP,
) => sql`
  ${ofMembers(values, walk)}
  order by ${ORDERS[source]}
  limit ${sql.lit(limit)}`

/** The first `limit` deliveries of a walk. */
export function walkDeliveries(source: DeliverySource, values: DeliveryWalk, limit: number) {
  const walk = (values: DeliveryWalk) => sql`${SOURCES[source](values)} limit ${sql.lit(limit)}`
  if (!isShared(values)) return walk(values)
  const marked = isMarked(values) && MARKED_SOURCES[source]
  if (marked) return sql`${marked(values)} limit ${sql.lit(limit)}`
  return firstOfMembers(source, values, walk, limit)
}

/** Whether a delivery of the walk, in the row `delivery`, belongs to the list. */
export function isOfList(source: DeliverySource, values: DeliveryWalk) {
  const userId = sql`delivery.user_id`
  if (!isShared(values)) return sql`true`
  const isOfPost = isOfOrganization(values, { userId, id: sql`delivery.post_id` })
  if (!isMarked(values) || !MARKED_SOURCES[source]) return isOfPost
  // A walk along the marks of posts has other posts only where accounts have times of their own.
  return sql`(${isMember(values, userId)} and (delivery.own_scheduled_at is null or ${isOfPost}))`
}

/** A walk by time has the times of its rows; for others they are looked up. */
export const isScheduled = (source: DeliverySource, values: DeliveryWalk) =>
  source === 'scheduled'
    ? sql`${isItsPlace} and ${isInTimes(values, sql`delivery.placed_at`)}`
    : sql`(
        select true from posts
        where posts.user_id = delivery.user_id and posts.id = delivery.post_id
          and ${isInTimes(values, scheduledTime('delivery'))}
        limit 1) is not null`
