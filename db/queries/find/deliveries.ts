import { type RawBuilder, sql } from 'kysely'
import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import { EXCERPT_MAX } from '../../../schemas/find.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Db } from '../../client.ts'
import type { DeliveryRow } from '../delivery/delivery.ts'
import { isoTime } from '../iso-time.ts'
import { nextAttemptOf } from '../posts/detail.ts'
import { isOfAccount, placeOfAccount } from './account.ts'
import { givenOf, isDeliveryWanted, isListed, type PostConditions } from './conditions.ts'
import { formsOf } from './forms.ts'
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
import { exactTime, type ValueOf, WINDOW, WINDOW_WITH_LOOKUP } from './walk.ts'

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

type DeliveryWalk = DeliveryConditions & DeliveryPlace
type Value = ValueOf<DeliveryWalk>

const byPost = (condition: RawBuilder<unknown>, value: Value) => sql`
  select * from post_targets
  where user_id = ${value('userId')}::uuid and ${condition}
    and (post_id, account_id) < (${value('afterPostId')}::uuid, ${value('afterAccountId')}::uuid)
  order by post_id desc, account_id desc`

/** The deliveries of posts, of one after the other. The limit makes Postgres look them up in this order. */
const ofPosts = (posts: RawBuilder<unknown>, value: Value) => sql`
  select delivery.*, post.scheduled_at from (${posts} limit ${sql.lit(WINDOW)}) as post
  cross join lateral (
    select * from post_targets
    where user_id = post.user_id and post_id = post.id
      and (post.id <> ${value('afterPostId')}::uuid or account_id < ${value('afterAccountId')}::uuid)
    order by account_id desc
    limit ${sql.lit(WINDOW)}) as delivery`

const byScheduledPost = (owner: RawBuilder<unknown>, value: Value) =>
  ofPosts(
    sql`
      select user_id, id, scheduled_at from posts
      where ${owner} and scheduled_at is not null
        and (scheduled_at, id) <= (${value('afterTime')}::timestamptz, ${value('afterPostId')}::uuid)
        and scheduled_at >= coalesce(${value('scheduledFrom')}::timestamptz, '-infinity')
      order by scheduled_at desc, id desc`,
    value,
  )

/** The indexes that deliveries are found by. All but `changed` put the newest first. */
const SOURCES = {
  all: (value: Value) => byPost(sql`true`, value),
  troubled: (value: Value) => byPost(sql`(state in ('failed', 'unconfirmed', 'missed') or error is not null)`, value),
  account: (value: Value) => sql`
    select * from post_targets
    where ${isOfAccount(value)}
      and (account_id, user_id, post_id) < ${placeOfAccount(value, sql`${value('afterPostId')}::uuid`)}
    order by post_id desc`,
  changed: (value: Value) => sql`
    select * from post_targets
    where user_id = ${value('userId')}::uuid and changed_at is not null
      and (changed_at, post_id, account_id)
        > (${value('afterTime')}::timestamptz, ${value('afterPostId')}::uuid, ${value('afterAccountId')}::uuid)
    order by changed_at, post_id, account_id`,
  scheduled: (value: Value) => byScheduledPost(isOfUser(value), value),
}

export type DeliverySource = keyof typeof SOURCES

/** The same for the posts that are marked as those of an organisation. Sources that are absent have no such index. */
const MARKED_SOURCES: Partial<Record<DeliverySource, (value: Value) => RawBuilder<unknown>>> = {
  all: (value) =>
    ofPosts(
      sql`
        select user_id, id, scheduled_at from posts
        where ${hasMark(value)} and id <= ${value('afterPostId')}::uuid
        order by id desc`,
      value,
    ),
  scheduled: (value) => byScheduledPost(hasMark(value), value),
}

/** The order of each source, which deliveries of several members are merged in. */
const ORDERS: Record<DeliverySource, RawBuilder<unknown>> = {
  all: sql`walk.post_id desc, walk.account_id desc`,
  troubled: sql`walk.post_id desc, walk.account_id desc`,
  account: sql`walk.post_id desc`,
  changed: sql`walk.changed_at, walk.post_id, walk.account_id`,
  scheduled: sql`walk.scheduled_at desc, walk.post_id desc, walk.account_id desc`,
}

/** The first `limit` deliveries of a walk. */
function walkDeliveries(source: DeliverySource, value: Value, limit: number, given: readonly string[]) {
  const walk = (value: Value) => sql`${SOURCES[source](value)} limit ${sql.lit(limit)}`
  if (!isShared(given)) return walk(value)
  const marked = isMarked(given) && MARKED_SOURCES[source]
  if (marked) return sql`${marked(value)} limit ${sql.lit(limit)}`
  return sql`
    select walk.* from ${membersOf(value)} cross join lateral (${walk(forMember(value))}) as walk
    order by ${ORDERS[source]}
    limit ${sql.lit(limit)}`
}

/** Whether a delivery of the walk, in the row `delivery`, belongs to the list. */
function isOfList(source: DeliverySource, value: Value, given: readonly string[]) {
  const userId = sql`delivery.user_id`
  if (!isShared(given)) return sql`true`
  if (isMarked(given) && MARKED_SOURCES[source]) return isMember(value, userId)
  return isOfOrganization(value, given, { userId, id: sql`delivery.post_id` })
}

interface PageValues extends DeliveryWalk {
  limit: number
}

export interface FoundDeliveryRow {
  userId: string
  postId: string
  accountId: string
  platform: PlatformId
  username: string
  captionExcerpt: string
  state: DeliveryState
  scheduledAt: string | null
  attempts: number
  nextAttemptAt: string | null
  publishedAt: string | null
  changedAt: string | null
  externalId: string | null
  externalUrl: string | null
  error: DeliveryError | null
  isWanted: boolean
  /** The last row that this page may look at. */
  isLast: boolean
  /** `changedAt` or `scheduledAt` to the microsecond, for a cursor. */
  sortedBy: string | null
}

type Row = DeliveryRow & { isWanted: boolean; isLast: boolean; rank: number }

/** The source along which the statement walks. */
interface DeliveryQuery {
  source: DeliverySource
}

/** A walk along posts has their times; for others they are looked up. */
const isScheduled = (source: DeliverySource, value: Value) => {
  const isBetween = (time: RawBuilder<unknown>) => sql`
    ${time} >= coalesce(${value('scheduledFrom')}::timestamptz, '-infinity')
    and ${time} < coalesce(${value('scheduledBefore')}::timestamptz, 'infinity')`
  if (source === 'scheduled') return isBetween(sql`delivery.scheduled_at`)
  return sql`(
    select true from posts
    where posts.user_id = delivery.user_id and posts.id = delivery.post_id and ${isBetween(sql`posts.scheduled_at`)}
    limit 1) is not null`
}

/** As for posts: only with the conditions that are given, and without their statistics. */
function selectPage(db: Db, { source }: DeliveryQuery, given: readonly string[], value: ValueOf<PageValues>) {
  const hasTimes = given.includes('scheduledFrom') || given.includes('scheduledBefore')
  const hasLookups = hasTimes || source === 'changed' || isShared(given) || given.includes('listedAccountIds')
  const window = hasLookups ? WINDOW_WITH_LOOKUP : WINDOW
  const walked = sql<Row>`(
    select *, rank = ${sql.lit(window)} as is_last,
      coalesce(
        ${isDeliveryWanted(value as never, given)}${hasTimes ? sql` and ${isScheduled(source, value as Value)}` : sql``}
          and ${isOfList(source, value as Value, given)}
          and ${isListed(value as Value, given, { userId: sql`delivery.user_id`, id: sql`delivery.post_id` })}, false
      ) as is_wanted
    from (
      select *, row_number() over () as rank
      from (${walkDeliveries(source, value as Value, window, given)}) as walked) as delivery)`
  // The page is complete before posts and accounts are joined to its rows.
  const page = db
    .selectFrom(walked.as('postTargets'))
    .selectAll()
    .where(sql<boolean>`is_wanted or is_last`)
    .limit(value('limit'))
  return db
    .selectFrom(page.as('delivery'))
    .innerJoin('posts', (join) =>
      join.onRef('posts.userId', '=', 'delivery.userId').onRef('posts.id', '=', 'delivery.postId'),
    )
    .innerJoin('accounts', 'accounts.id', 'delivery.accountId')
    .select([
      'delivery.userId',
      'delivery.postId',
      'delivery.accountId',
      'delivery.platform',
      'accounts.username',
      sql<string>`left(coalesce(delivery.caption_override, posts.caption), ${sql.lit(EXCERPT_MAX)})`.as(
        'captionExcerpt',
      ),
      'delivery.state',
      isoTime<string | null>('posts.scheduledAt').as('scheduledAt'),
      'delivery.attempts',
      nextAttemptOf('delivery').as('nextAttemptAt'),
      isoTime<string | null>('delivery.publishedAt').as('publishedAt'),
      isoTime<string | null>('delivery.changedAt').as('changedAt'),
      sql<string | null>`delivery.sent -> 0 ->> 'id'`.as('externalId'),
      sql<string | null>`delivery.sent -> 0 ->> 'url'`.as('externalUrl'),
      'delivery.error',
      'delivery.isWanted',
      'delivery.isLast',
      exactTime(source === 'changed' ? 'delivery.changed_at' : 'posts.scheduled_at').as('sortedBy'),
    ])
    .orderBy('delivery.rank')
    .$castTo<FoundDeliveryRow>()
}

const runPage = formsOf('find_deliveries', selectPage)

/**
 * The next deliveries of a walk that meet the conditions, at most `limit`. If the walk looks at its last row before the
 * page is full, that row is returned too, wanted or not.
 */
export const findDeliveries = (db: Db, source: DeliverySource, values: PageValues): Promise<FoundDeliveryRow[]> =>
  runPage(db, { source }, givenOf(values), values)
