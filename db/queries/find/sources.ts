import { type RawBuilder, sql } from 'kysely'
import { isOfAccount, placeOfAccount } from './account.ts'
import { DELIVERY_TESTS, type PostConditions } from './conditions.ts'
import {
  forMember,
  hasMark,
  isMarked,
  isMember,
  isOfOrganization,
  isOfUser,
  isShared,
  membersOf,
} from './organization.ts'
import { DIRECTIONS, type Direction, type Order, type Range, type ValueOf } from './walk.ts'

export type PostWalk = PostConditions & Range

type Value = ValueOf<PostWalk>

/**
 * The rows between both ends. One end is compared as a pair. If both were compared as single ids, Postgres would always
 * expect a two-hundredth of the user's rows, and would sort all of them.
 */
const idRange = (column: string, value: Value, { after, before }: Direction) => {
  const id = sql.ref(column)
  const end = sql`${value('endId')}::uuid`
  return sql`${id} ${after} ${value('startId')}::uuid and (${id}, ${id}) ${before} (${end}, ${end})`
}

const byId = (condition: RawBuilder<unknown>, owner: RawBuilder<unknown>, value: Value, direction: Direction) => sql`
  select posts.*, id as place from posts
  where ${owner} and ${condition} and ${idRange('id', value, direction)}
  order by id ${direction.order}`

const byTime = (column: string, owner: RawBuilder<unknown>, value: Value, { order, after, before }: Direction) => sql`
  select posts.*, id as place from posts
  where ${owner} and ${sql.ref(column)} is not null
    and (${sql.ref(column)}, id) ${after} (${value('startTime')}::timestamptz, ${value('startId')}::uuid)
    and ${sql.ref(column)} ${before} ${value('endTime')}::timestamptz
  order by ${sql.ref(column)} ${order}, id ${order}`

type PostSourceOf = (owner: RawBuilder<unknown>, value: Value, direction: Direction) => RawBuilder<unknown>

/** The indexes on posts that posts are found by. */
const BY_POSTS = {
  all: (owner, value, direction) => byId(sql`true`, owner, value, direction),
  /** Posts with the first of `statuses`, which is not `published`. */
  unpublished: (owner, value, direction) =>
    byId(sql`status <> 'published' and status = (${value('statuses')}::text[])[1]`, owner, value, direction),
  reference: (owner, value, direction) =>
    byId(sql`external_reference = ${value('externalReference')}`, owner, value, direction),
  scheduled: (owner, value, direction) => byTime('scheduled_at', owner, value, direction),
  updated: (owner, value, direction) => byTime('updated_at', owner, value, direction),
} satisfies Record<string, PostSourceOf>

/** The first digits of an id, which name its span, as a number. */
const spanOf = (id: RawBuilder<unknown>) => sql`('x' || left((${id})::text, 5))::bit(20)::integer`

/** The span of the first post of the user in a direction. */
const endSpan = (value: Value, order: RawBuilder<unknown>) =>
  sql`(select ${spanOf(sql`id`)} from posts where ${isOfUser(value)} order by id ${order} limit 1)`

/** The indexes that posts are found by before they are looked up. */
const BY_LOOKUP = {
  /**
   * Posts with all words, of one span after the other. The offset keeps Postgres from any other index, whose rows it
   * would read until it finds enough: all of them for a rare word.
   */
  words: (value: Value, { order, after, before }: Direction) => {
    const isAscending = order === DIRECTIONS.asc.order
    const [first, last] = [endSpan(value, sql`asc`), endSpan(value, sql`desc`)]
    const spans = (id: 'startId' | 'endId') =>
      sql`least(greatest(${spanOf(sql`${value(id)}::uuid`)}, ${first}), ${last})`
    return sql`
      select found.user_id, found.place
      from generate_series(${spans('startId')}, ${spans('endId')}, ${sql.lit(isAscending ? 1 : -1)}) as span
      cross join lateral (
        select user_id, post_id as place from (
          select user_id, post_id from post_words
          where words @> (array[${value('userId')}::uuid::text || ':' || lpad(to_hex(span), 5, '0')] || ${value('words')}::text[])
          offset 0) as indexed
        where post_id ${after} ${value('startId')}::uuid and post_id ${before} ${value('endId')}::uuid
        order by post_id ${order}) as found`
  },
  account: (value: Value, { order, after, before }: Direction) => sql`
    select user_id, post_id as place from post_targets
    where ${isOfAccount(value)}
      and (account_id, user_id, post_id) ${after} ${placeOfAccount(value, sql`${value('startId')}::uuid`)}
      and (account_id, user_id, post_id) ${before} ${placeOfAccount(value, sql`${value('endId')}::uuid`)}
    order by post_id ${order}`,
  /** Posts with a delivery that has an error, or that needs its owner. */
  troubled: (value: Value, direction: Direction) => sql`
    select distinct user_id, post_id as place from post_targets
    where ${isOfUser(value)} and (state in ('failed', 'unconfirmed', 'missed') or error is not null)
      and ${idRange('post_id', value, direction)}
    order by post_id ${direction.order}`,
}

export type PostSource = keyof typeof BY_POSTS | keyof typeof BY_LOOKUP

const isByPosts = (source: PostSource): source is keyof typeof BY_POSTS => source in BY_POSTS

/** Whether the deliveries of each post have to be looked up. The source `account` has posts of the account alone. */
export const hasDeliveryConditions = (source: PostSource, given: readonly string[]) =>
  given.some((name) => name in DELIVERY_TESTS && !(name === 'accountId' && source === 'account'))

/** The column of `posts` that a source is sorted by, before the id. */
export const SORTED_BY: Partial<Record<PostSource, string>> = { scheduled: 'scheduled_at', updated: 'updated_at' }

export const orderOf = (source: PostSource, table: string, order: Order) => {
  const { order: direction } = DIRECTIONS[order]
  const column = SORTED_BY[source]
  return sql`${column ? sql`${sql.ref(`${table}.${column}`)} ${direction}, ` : sql``}${sql.ref(`${table}.place`)} ${direction}`
}

interface Walk {
  source: PostSource
  order: Order
  /** Whether the order matters. A walk along the posts of several members has none otherwise. */
  isOrdered: boolean
}

/** The first `limit` posts of a walk. */
export function walkPosts(query: Walk, value: Value, limit: number, given: readonly string[]) {
  const { source, order, isOrdered } = query
  if (!isByPosts(source)) return walkDeliveries(query, BY_LOOKUP[source], value, limit, given)
  const walk = (owner: RawBuilder<unknown>, value: Value) =>
    sql`${BY_POSTS[source](owner, value, DIRECTIONS[order])} limit ${sql.lit(limit)}`
  if (!isShared(given)) return walk(isOfUser(value), value)
  if (isMarked(given)) return walk(hasMark(value), value)
  const member = forMember(value)
  return sql`
    select walk.* from ${membersOf(value)} cross join lateral (${walk(isOfUser(member), member)}) as walk
    ${isOrdered ? sql`order by ${orderOf(source, 'walk', order)}` : sql``}
    limit ${sql.lit(limit)}`
}

/**
 * By some of the post's deliveries. The limit in the lookup makes Postgres look up one post after the other, in this
 * order.
 */
function walkDeliveries(
  { order, isOrdered }: Walk,
  walkOf: (value: Value, direction: Direction) => RawBuilder<unknown>,
  value: Value,
  limit: number,
  given: readonly string[],
) {
  const direction = DIRECTIONS[order]
  const walk = (value: Value) => sql`${walkOf(value, direction)} limit ${sql.lit(limit)}`
  const walks = sql`
    select walk.* from ${membersOf(value)} cross join lateral (${walk(forMember(value))}) as walk
    ${isOrdered ? sql`order by walk.place ${direction.order}` : sql``}
    limit ${sql.lit(limit)}`
  return sql`
    select post.*, delivery.place
    from (${isShared(given) ? walks : walk(value)}) as delivery
    cross join lateral (
      select * from posts where user_id = delivery.user_id and id = delivery.place limit 1) as post
    order by delivery.place ${direction.order}
    limit ${sql.lit(limit)}`
}

/** Whether a post of the walk, in the row `post`, belongs to the list. */
export function isOfList(source: PostSource, value: Value, given: readonly string[]) {
  if (!isShared(given)) return sql`true`
  if (!isMarked(given)) return isOfOrganization(value, given, { userId: sql`post.user_id`, id: sql`post.id` })
  return isByPosts(source) ? isMember(value, sql`post.user_id`) : sql`post.${hasMark(value)}`
}
