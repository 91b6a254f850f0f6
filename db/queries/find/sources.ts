import { type RawBuilder, sql } from 'kysely'
import { FEW_ROWS } from '../few-rows.ts'
import { scheduledTime } from '../posts/targets.ts'
import { isOfAccount, placeOfAccount } from './account.ts'
import {
  deliveryConditionsOf,
  hasTimes,
  isDeliveryWanted,
  isInTimes,
  type PostConditions,
  TROUBLED,
} from './conditions.ts'
import { hasMark, isMarked, isMember, isOfOrganization, isOfUser, isShared, ofMembers } from './organization.ts'
import { DIRECTIONS, type Direction, type Order, type Range } from './walk.ts'

export type PostWalk = PostConditions & Range

/**
 * The rows between both ends. One end is compared as a pair. If both were compared as single ids, Postgres would always
 * expect a two-hundredth of the user's rows, and would sort all of them.
 */
const idRange = (column: string, values: PostWalk, { after, before }: Direction) => {
  const id = sql.ref(column)
  const end = sql`${values.endId}::uuid`
  return sql`${id} ${after} ${values.startId}::uuid and (${id}, ${id}) ${before} (${end}, ${end})`
}

const byId = (
  condition: RawBuilder<unknown>,
  owner: RawBuilder<unknown>,
  values: PostWalk,
  direction: Direction,
) => sql`
  select posts.*, id as place from posts
  where ${owner} and ${condition} and ${idRange('id', values, direction)}
  order by id ${direction.order}`

const byTime = (
  column: string,
  owner: RawBuilder<unknown>,
  values: PostWalk,
  { order, after, before }: Direction,
) => sql`
  select posts.*, id as place, ${sql.ref(column)} as placed_at from posts
  where ${owner} and ${sql.ref(column)} is not null
    and (${sql.ref(column)}, id) ${after} (${values.startTime}::timestamptz, ${values.startId}::uuid)
    and ${sql.ref(column)} ${before} ${values.endTime}::timestamptz
  order by ${sql.ref(column)} ${order}, id ${order}`

type PostSourceOf = (owner: RawBuilder<unknown>, values: PostWalk, direction: Direction) => RawBuilder<unknown>

/** The indexes on posts that posts are found by. */
const BY_POSTS = {
  all: (owner, values, direction) => byId(sql`true`, owner, values, direction),
  /** Posts with the first of `statuses`, which is not `published`. */
  unpublished: (owner, values, direction) =>
    byId(sql`status <> 'published' and status = (${values.statuses}::text[])[1]`, owner, values, direction),
  reference: (owner, values, direction) =>
    byId(sql`external_reference = ${values.externalReference}`, owner, values, direction),
  scheduled: (owner, values, direction) => byTime('scheduled_at', owner, values, direction),
  updated: (owner, values, direction) => byTime('updated_at', owner, values, direction),
} satisfies Record<string, PostSourceOf>

/** The first digits of an id, which name its span, as a number. */
const spanOf = (id: RawBuilder<unknown>) => sql`('x' || left((${id})::text, 5))::bit(20)::integer`

/** The span of the first post of the user in a direction. */
const endSpan = (values: PostWalk, order: RawBuilder<unknown>) =>
  sql`(select ${spanOf(sql`id`)} from posts where ${isOfUser(values)} order by id ${order} limit 1)`

/** The indexes that posts are found by before they are looked up. */
const BY_LOOKUP = {
  /**
   * Posts with all words, of one span after the other. The offset keeps Postgres from any other index, whose rows it
   * would read until it finds enough: all of them for a rare word.
   */
  words: (values: PostWalk, { order, after, before }: Direction) => {
    const isAscending = order === DIRECTIONS.asc.order
    const first = endSpan(values, sql`asc`)
    const last = endSpan(values, sql`desc`)
    const spans = (id: 'startId' | 'endId') =>
      sql`least(greatest(${spanOf(sql`${values[id]}::uuid`)}, ${first}), ${last})`
    return sql`
      select found.user_id, found.place
      from (
        select span from generate_series(${spans('startId')}, ${spans('endId')}, ${sql.lit(isAscending ? 1 : -1)}) as span
        ${FEW_ROWS}) as spans
      cross join lateral (
        select user_id, post_id as place from (
          select user_id, post_id from post_words
          where words @> (array[${values.userId}::uuid::text || ':' || lpad(to_hex(span), 5, '0')] || ${values.words}::text[])
          ${FEW_ROWS} offset 0) as indexed
        where post_id ${after} ${values.startId}::uuid and post_id ${before} ${values.endId}::uuid
        order by post_id ${order}) as found`
  },
  account: (values: PostWalk, { order, after, before }: Direction) => sql`
    select user_id, post_id as place from post_targets
    where ${isOfAccount(values)}
      and (account_id, user_id, post_id) ${after} ${placeOfAccount(values, sql`${values.startId}::uuid`)}
      and (account_id, user_id, post_id) ${before} ${placeOfAccount(values, sql`${values.endId}::uuid`)}
    order by post_id ${order}`,
  /** Posts with a delivery that has an error, or that needs its owner. */
  troubled: (values: PostWalk, direction: Direction) => sql`
    select distinct user_id, post_id as place from post_targets
    where ${isOfUser(values)} and ${TROUBLED}
      and ${idRange('post_id', values, direction)}
    order by post_id ${direction.order}`,
}

/**
 * The posts of the user, each at every own time of its accounts that differs from the time of the post. The other half
 * of the walk has the post at its time.
 */
const byOwnTime = (values: PostWalk, { order, after, before }: Direction, limit: number) => sql`
  select posts.*, posts.id as place, own.own_scheduled_at as placed_at
  from (
    select distinct user_id, own_scheduled_at, post_id from post_targets
    where ${isOfUser(values)} and own_scheduled_at is not null
      and (own_scheduled_at, post_id) ${after} (${values.startTime}::timestamptz, ${values.startId}::uuid)
      and own_scheduled_at ${before} ${values.endTime}::timestamptz
    order by own_scheduled_at ${order}, post_id ${order}
    limit ${sql.lit(limit)}) as own
  cross join lateral (select * from posts where user_id = own.user_id and id = own.post_id limit 1) as posts
  where posts.scheduled_at <> own.own_scheduled_at
  order by own.own_scheduled_at ${order}, own.post_id ${order}`

export type PostSource = keyof typeof BY_POSTS | keyof typeof BY_LOOKUP

const isByPosts = (source: PostSource): source is keyof typeof BY_POSTS => source in BY_POSTS

/**
 * Whether the deliveries of each post have to be looked up. The source `account` has posts of the account alone, maybe
 * at other times than the account's.
 */
export const hasDeliveryConditions = (source: PostSource, values: PostWalk) =>
  deliveryConditionsOf(values).some((name) => !(name === 'accountId' && source === 'account' && !hasTimes(values)))

/** Whether the rows of a source are sorted by `placed_at`, before the id. */
export const isByTime = (source: PostSource) => source === 'scheduled' || source === 'updated'

export const orderOf = (source: PostSource, table: string, order: Order) => {
  const { order: direction } = DIRECTIONS[order]
  const time = isByTime(source) ? sql`${sql.ref(`${table}.placed_at`)} ${direction}, ` : sql``
  return sql`${time}${sql.ref(`${table}.place`)} ${direction}`
}

interface Walk {
  source: PostSource
  order: Order
  /** Whether the order matters. A walk along the posts of several members has none otherwise. */
  isOrdered: boolean
  /** Whether posts stand at the times of their accounts too, and not only at `scheduled_at`. For that source alone. */
  hasOwnTimes: boolean
}

/** The first `limit` posts of a walk. */
export function walkPosts({ source, order, isOrdered, hasOwnTimes }: Walk, values: PostWalk, limit: number) {
  const direction = DIRECTIONS[order]
  const first = (rows: RawBuilder<unknown>) => sql`${rows} limit ${sql.lit(limit)}`
  const inOrder = sql`order by ${orderOf(source, 'walk', order)}`
  const firstOfMembers = (walk: (member: PostWalk) => RawBuilder<unknown>) =>
    first(sql`${ofMembers(values, walk)} ${isOrdered ? inOrder : sql``}`)
  if (!isByPosts(source)) {
    const walk = (values: PostWalk) => first(BY_LOOKUP[source](values, direction))
    // The limit in the lookup makes Postgres look up one post after the other, in this order.
    return first(sql`
      select post.*, delivery.place
      from (${isShared(values) ? firstOfMembers(walk) : walk(values)}) as delivery
      cross join lateral (
        select * from posts where user_id = delivery.user_id and id = delivery.place limit 1) as post
      order by delivery.place ${direction.order}`)
  }
  const byPosts = (owner: RawBuilder<unknown>, values: PostWalk) => first(BY_POSTS[source](owner, values, direction))
  const byOwn = (values: PostWalk) => byOwnTime(values, direction, limit)
  const merge = (posts: RawBuilder<unknown>, own: RawBuilder<unknown>) =>
    hasOwnTimes ? first(sql`select * from ((${posts}) union all (${own})) as walk ${inOrder}`) : posts
  if (!isShared(values)) return merge(byPosts(isOfUser(values), values), byOwn(values))
  if (isMarked(values)) return merge(byPosts(hasMark(values), values), firstOfMembers(byOwn))
  return firstOfMembers((member) => merge(byPosts(isOfUser(member), member), byOwn(member)))
}

/** Whether a post of the walk, in the row `post`, belongs to the list. */
export function isOfList(source: PostSource, values: PostWalk) {
  if (!isShared(values)) return sql`true`
  if (!isMarked(values)) return isOfOrganization(values, { userId: sql`post.user_id`, id: sql`post.id` })
  return sql`post.${hasMark(values)}${isByPosts(source) ? sql` and ${isMember(values, sql`post.user_id`)}` : sql``}`
}

/** The deliveries of the post in the row `post` that meet all given conditions. */
export const wantedDeliveries = (values: PostWalk) => sql`
  select delivery.* from post_targets as delivery
  where delivery.user_id = post.user_id and delivery.post_id = post.id and ${isDeliveryWanted(values)}
    and ${isInTimes(values, scheduledTime('delivery', 'post'))}`

/** Whether the post in the row `post` itself, or one of its deliveries, is scheduled for the given times. */
export const isScheduled = (values: PostWalk) => sql`(
  ${isInTimes(values, sql`post.scheduled_at`)}
  or (select true from (${wantedDeliveries(values)} limit 1) as delivery) is not null)`

/**
 * Whether the row `post` of a walk with own times is the place of its post in the given times: the time of the post, or
 * else the first of its accounts' times in the direction of the walk.
 */
export function isItsPlace(values: PostWalk, { after }: Direction) {
  // Not the column alone: Postgres would look into the index of own times, which may have many others.
  const time = scheduledTime('other', 'post')
  return sql`(
    post.placed_at = post.scheduled_at
    or not (${isInTimes(values, sql`post.scheduled_at`)})
      and (
        select true from post_targets as other
        where other.user_id = post.user_id and other.post_id = post.id
          and ${isInTimes(values, time)} and post.placed_at ${after} ${time}
        limit 1) is null)`
}

/**
 * Whether the row `post` of a walk with own times stands at a time at which some account publishes it. It may not at
 * the time of the post, if each account has another one. Users without such times have no deliveries looked up.
 */
export function isPublishedThen(values: PostWalk) {
  const own = (values: PostWalk) =>
    sql`select true from post_targets where ${isOfUser(values)} and own_scheduled_at is not null limit 1`
  const ofAnyone = isShared(values) ? sql`${ofMembers(values, own)} limit 1` : own(values)
  return sql`(
    post.placed_at <> post.scheduled_at
    or (${ofAnyone}) is null
    or (
      select bool_and(${scheduledTime('other', 'post')} <> post.scheduled_at) from post_targets as other
      where other.user_id = post.user_id and other.post_id = post.id) is not true)`
}
