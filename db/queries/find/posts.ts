import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import type { Post, PostStatus } from '../../../schemas/post.ts'
import type { Db } from '../../client.ts'
import type { Posts } from '../../types.ts'
import { dropAbsent, postColumns } from '../posts.ts'
import { isPostOf } from '../roles.ts'
import { formsOf } from './forms.ts'
import {
  DIRECTIONS,
  type Direction,
  exactTime,
  type Order,
  type Range,
  type ValueOf,
  WINDOW,
  WINDOW_WITH_LOOKUP,
} from './walk.ts'

/** What the posts of a list have in common. Null does not restrict. */
export interface PostConditions {
  userId: string
  /** The posts of all its members, instead of those of the user. */
  organizationId: string | undefined
  statuses: PostStatus[] | null
  postType: string | null
  externalReference: string | null
  scheduledFrom: Date | null
  scheduledBefore: Date | null
  createdFrom: Date | null
  createdBefore: Date | null
  updatedFrom: Date | null
  updatedBefore: Date | null
  /** One delivery of the post has to meet this and the three conditions below. */
  states: DeliveryState[] | null
  errorCode: string | null
  accountId: string | null
  platform: string | null
}

export type PostWalk = PostConditions & Range

type Value = ValueOf<PostWalk>

/**
 * The rows between both ends. One end is compared as a pair. If both were compared as single ids, Postgres would always expect
 * a two-hundredth of the user's rows, and would sort all of them.
 */
const idRange = (column: string, value: Value, { after, before }: Direction) => {
  const id = sql.ref(column)
  const end = sql`${value('endId')}::uuid`
  return sql`${id} ${after} ${value('startId')}::uuid and (${id}, ${id}) ${before} (${end}, ${end})`
}

const byId = (condition: RawBuilder<unknown>, value: Value, direction: Direction) => sql`
  select posts.*, id as place from posts
  where user_id = ${value('userId')}::uuid and ${condition} and ${idRange('id', value, direction)}
  order by id ${direction.order}`

const byTime = (column: string, value: Value, { order, after, before }: Direction) => sql`
  select posts.*, id as place from posts
  where user_id = ${value('userId')}::uuid and ${sql.ref(column)} is not null
    and (${sql.ref(column)}, id) ${after} (${value('startTime')}::timestamptz, ${value('startId')}::uuid)
    and ${sql.ref(column)} ${before} ${value('endTime')}::timestamptz
  order by ${sql.ref(column)} ${order}, id ${order}`

/** By some of the post's deliveries. The limit in the lookup makes Postgres look up one post after the other, in this order. */
const byDelivery = (condition: RawBuilder<unknown>, value: Value, direction: Direction, limit: number) => sql`
  select post.*, target.place
  from (
    select distinct post_id as place from post_targets
    where user_id = ${value('userId')}::uuid and ${condition} and ${idRange('post_id', value, direction)}
    order by post_id ${direction.order}
    limit ${sql.lit(limit)}) as target
  cross join lateral (
    select * from posts where user_id = ${value('userId')}::uuid and id = target.place limit 1) as post
  order by target.place ${direction.order}`

/** The indexes that posts are found by. Each source is a walk along one of them. */
const SOURCES = {
  all: (value: Value, direction: Direction) => byId(sql`true`, value, direction),
  /** Posts with the first of `statuses`, which is not `published`. */
  unpublished: (value: Value, direction: Direction) =>
    byId(sql`status <> 'published' and status = (${value('statuses')}::text[])[1]`, value, direction),
  reference: (value: Value, direction: Direction) =>
    byId(sql`external_reference = ${value('externalReference')}`, value, direction),
  scheduled: (value: Value, direction: Direction) => byTime('scheduled_at', value, direction),
  updated: (value: Value, direction: Direction) => byTime('updated_at', value, direction),
  account: (value: Value, direction: Direction, limit: number) =>
    byDelivery(sql`account_id = ${value('accountId')}::uuid`, value, direction, limit),
  /** Posts with a delivery that has an error, or that needs its owner. */
  troubled: (value: Value, direction: Direction, limit: number) =>
    byDelivery(sql`(state in ('failed', 'unconfirmed', 'missed') or error is not null)`, value, direction, limit),
}

export type PostSource = keyof typeof SOURCES

/** The column of `posts` that a source is sorted by, before the id. */
const SORTED_BY: Partial<Record<PostSource, string>> = { scheduled: 'scheduled_at', updated: 'updated_at' }

const orderOf = (source: PostSource, table: string, order: Order) => {
  const { order: direction } = DIRECTIONS[order]
  const column = SORTED_BY[source]
  return sql`${column ? sql`${sql.ref(`${table}.${column}`)} ${direction}, ` : sql``}${sql.ref(`${table}.place`)} ${direction}`
}

/** The first `limit` posts of a walk. Along the posts of several members, the order of the walk has to be requested. */
export function walkPosts(
  { source, order, isOrdered }: { source: PostSource; order: Order; isOrdered: boolean },
  value: Value,
  limit: number,
  given: readonly string[],
) {
  const walk = (value: Value) => sql`${SOURCES[source](value, DIRECTIONS[order], limit)} limit ${sql.lit(limit)}`
  if (!isShared(given)) return walk(value)
  return sql`
    select walk.* from ${membersOf(value)} cross join lateral (${walk(forMember(value))}) as walk
    ${isOrdered ? sql`order by ${orderOf(source, 'walk', order)}` : sql``}
    limit ${sql.lit(limit)}`
}

/** Whether a walk is along the posts of all members of an organisation. */
export const isShared = (given: readonly string[]) => given.includes('organizationId')

type SharedValue = ValueOf<{ userId: string; organizationId: string | undefined }>

/** The members of the organisation, each as the row `member`. */
export const membersOf = (value: SharedValue) => sql`(
  select user_id from memberships where organization_id = ${value('organizationId')}::uuid) as member`

/** The values of a walk along the posts of one member. */
export const forMember = <V extends SharedValue>(value: V): V =>
  ((key: 'userId') => (key === 'userId' ? sql.ref('member.user_id') : value(key))) as V

/** Whether a post belongs to the given organisation, if there is one. */
export const isOfOrganization = (value: SharedValue, given: readonly string[], post: Parameters<typeof isPostOf>[1]) =>
  isShared(given) ? isPostOf(sql`${value('organizationId')}`, post) : sql`true`

const from = (column: string, time: Date | null) => sql`${sql.ref(column)} >= ${time}::timestamptz`
const before = (column: string, time: Date | null) => sql`${sql.ref(column)} < ${time}::timestamptz`

/** What a condition on posts means. */
const POST_TESTS = {
  statuses: (value: Value) => sql`status = any(${value('statuses')}::text[])`,
  postType: (value: Value) => sql`post_type = ${value('postType')}::text`,
  externalReference: (value: Value) => sql`external_reference = ${value('externalReference')}::text`,
  scheduledFrom: (value: Value) => from('scheduled_at', value('scheduledFrom')),
  scheduledBefore: (value: Value) => before('scheduled_at', value('scheduledBefore')),
  createdFrom: (value: Value) => from('created_at', value('createdFrom')),
  createdBefore: (value: Value) => before('created_at', value('createdBefore')),
  updatedFrom: (value: Value) => from('updated_at', value('updatedFrom')),
  updatedBefore: (value: Value) => before('updated_at', value('updatedBefore')),
}

/** What a condition on deliveries means. */
const TARGET_TESTS = {
  states: (value: Value) => sql`target.state = any(${value('states')}::text[])`,
  errorCode: (value: Value) => sql`target.error ->> 'code' = ${value('errorCode')}::text`,
  accountId: (value: Value) => sql`target.account_id = ${value('accountId')}::uuid`,
  platform: (value: Value) => sql`target.platform = ${value('platform')}::text`,
}

type Test = (value: Value) => RawBuilder<unknown>

const all = (tests: Record<string, Test>, value: Value, given: readonly string[]) => {
  const parts = given.filter((name) => name in tests).map((name) => tests[name]!(value))
  return parts.length > 0 ? sql.join(parts, sql` and `) : sql`true`
}

/** The names of the conditions that restrict. */
export const givenOf = (conditions: Partial<PostConditions>): string[] =>
  ['organizationId', ...Object.keys(POST_TESTS), ...Object.keys(TARGET_TESTS)].filter(
    (name) => (conditions[name as 'platform'] ?? null) !== null,
  )

/** Whether the post in the row `post` meets the given conditions on posts. */
export const isPostWanted = (value: Value, given: readonly string[]) => sql`${all(POST_TESTS, value, given)}
  and ${isOfOrganization(value, given, { userId: sql`post.user_id`, id: sql`post.id` })}`

/** Whether one delivery meets all given conditions on deliveries. */
export const isTargetWanted = (value: Value, given: readonly string[]) => all(TARGET_TESTS, value, given)

interface PageValues extends PostWalk {
  limit: number
}

export interface FoundPost extends Post {
  isWanted: boolean
  /** The last row that this page may look at. */
  isLast: boolean
  /** The value that the list is sorted by, for a cursor. */
  sortedBy: string | null
}

type Row = Selectable<Posts> & { isWanted: boolean; isLast: boolean; sortedBy: string | null }

/** A form of the statement: the index that it reads, and the conditions that it has. */
export interface PostQuery {
  source: PostSource
  order: Order
  /** Whether some deliveries of each post have to be looked at. */
  hasTargetConditions: boolean
}

/**
 * The statement has only the conditions that are given. `coalesce` hides their statistics: with them, Postgres would expect
 * a plan for these values to be cheaper, and plan each time, which takes longer than the rest.
 */
function selectPage(db: Db, query: PostQuery, given: readonly string[], value: ValueOf<PageValues>) {
  const { source, order, hasTargetConditions } = query
  const column = SORTED_BY[source]
  const window = hasTargetConditions || source === 'account' || isShared(given) ? WINDOW_WITH_LOOKUP : WINDOW
  // Qualified, because a column of the API has the same name. The source has this order already, and naming it three
  // times lets Postgres know, so that it stops when the page is full.
  const orderBy = orderOf(source, 'posts', order)
  const hasTarget = sql`(
    select true from post_targets as target
    where target.user_id = post.user_id and target.post_id = post.id
      and ${isTargetWanted(value as Value, given)}
    limit 1) is not null`
  const walked = sql<Row>`(
    select *, ${column ? exactTime(column) : sql`null`} as sorted_by, rank = ${sql.lit(window)} as is_last,
      coalesce(
        ${isPostWanted(value as Value, given)}${hasTargetConditions ? sql` and ${hasTarget}` : sql``}, false) as is_wanted
    from (
      select *, row_number() over (order by ${orderBy}) as rank
      from (${walkPosts({ source, order, isOrdered: true }, value as Value, window, given)}) as posts
    ) as post)`
  return db
    .selectFrom(walked.as('posts'))
    .select((eb) => [...postColumns(eb as never), 'isWanted', 'isLast', 'sortedBy'])
    .where(sql<boolean>`is_wanted or is_last`)
    .orderBy(orderBy)
    .limit(value('limit'))
    .$castTo<FoundPost>()
}

const runPage = formsOf('find_posts', selectPage)

/**
 * The next posts of a walk that meet the conditions, at most `limit`. If the walk looks at its last row before the page is
 * full, that row is returned too, wanted or not.
 */
export const findPosts = async (db: Db, query: PostQuery, values: PageValues): Promise<FoundPost[]> =>
  dropAbsent(await runPage(db, query, givenOf(values), values))
