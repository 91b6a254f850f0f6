import { type RawBuilder, sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import { NEEDS_OWNER_STATES } from '../../../schemas/delivery-states.ts'
import type { PostStatus } from '../../../schemas/post.ts'
import { isOneOf } from '../one-of.ts'
import type { OrganizationConditions } from './organization.ts'
import type { ValueOf } from './walk.ts'

/** Conditions on the posts of a list. Null does not restrict. */
export interface PostConditions extends OrganizationConditions {
  /** Only posts all of whose accounts are among these. Absent, it does not restrict. */
  listedAccountIds?: readonly string[]
  statuses: PostStatus[] | null
  postType: string | null
  externalReference: string | null
  /** Only posts with all these words: see src/features/posts/words.ts. Absent, it does not restrict. */
  words?: readonly string[] | undefined
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

type Value = ValueOf<PostConditions>

const from = (column: RawBuilder<unknown>, time: Date | null) => sql`${column} >= ${time}::timestamptz`
const before = (column: RawBuilder<unknown>, time: Date | null) => sql`${column} < ${time}::timestamptz`

type Times = Pick<PostConditions, 'scheduledFrom' | 'scheduledBefore'>

/** The meaning of the conditions on times that a post or a delivery is scheduled for. */
const TIME_TESTS = {
  scheduledFrom: (value: ValueOf<Times>, time: RawBuilder<unknown>) => from(time, value('scheduledFrom')),
  scheduledBefore: (value: ValueOf<Times>, time: RawBuilder<unknown>) => before(time, value('scheduledBefore')),
}

/** The meaning of each condition on posts, in the row `post`: deliveries beside it have columns of the same names. */
const POST_TESTS = {
  statuses: (value: Value) => sql`post.status = any(${value('statuses')}::text[])`,
  postType: (value: Value) => sql`post.post_type = ${value('postType')}::text`,
  externalReference: (value: Value) => sql`post.external_reference = ${value('externalReference')}::text`,
  words: (value: Value) => sql`(
    select true from post_words
    where post_words.user_id = post.user_id and post_words.post_id = post.id
      and post_words.words @> ${value('words')}::text[]
    limit 1) is not null`,
  createdFrom: (value: Value) => from(sql`post.created_at`, value('createdFrom')),
  createdBefore: (value: Value) => before(sql`post.created_at`, value('createdBefore')),
  updatedFrom: (value: Value) => from(sql`post.updated_at`, value('updatedFrom')),
  updatedBefore: (value: Value) => before(sql`post.updated_at`, value('updatedBefore')),
}

/** The condition of the index of deliveries that have an error, or that need their owner. */
export const TROUBLED = sql`(${isOneOf('state', NEEDS_OWNER_STATES)} or error is not null)`

/** The meaning of each condition on deliveries. */
export const DELIVERY_TESTS = {
  states: (value: Value) => sql`delivery.state = any(${value('states')}::text[])`,
  errorCode: (value: Value) => sql`delivery.error ->> 'code' = ${value('errorCode')}::text`,
  accountId: (value: Value) => sql`delivery.account_id = ${value('accountId')}::uuid`,
  platform: (value: Value) => sql`delivery.platform = ${value('platform')}::text`,
}

/**
 * Whether a post has accounts of the list alone. No `exists`, for which Postgres may read the whole table into a hash.
 */
export const isListed = (
  value: ValueOf<Pick<PostConditions, 'listedAccountIds'>>,
  given: readonly string[],
  post: { userId: RawBuilder<unknown>; id: RawBuilder<unknown> },
) =>
  given.includes('listedAccountIds')
    ? sql`(
        select true from post_targets as other
        where other.user_id = ${post.userId} and other.post_id = ${post.id}
          and other.account_id <> all(${value('listedAccountIds')}::uuid[])
        limit 1) is null`
    : sql`true`

type Test<Arguments extends unknown[]> = (...args: Arguments) => RawBuilder<unknown>

const all = <A extends unknown[]>(tests: Record<string, Test<A>>, given: readonly string[], ...args: A) => {
  const parts = given.filter((name) => name in tests).map((name) => tests[name]!(...args))
  return parts.length > 0 ? sql.join(parts, sql` and `) : sql`true`
}

/** Whether a list has conditions on the times that deliveries are scheduled for. */
export const hasTimes = (given: readonly string[]) => given.some((name) => name in TIME_TESTS)

/** Whether a time meets the given conditions on such times. */
export const isInTimes = (value: ValueOf<Times>, given: readonly string[], time: RawBuilder<unknown>) =>
  all(TIME_TESTS, given, value, time)

/** The names of the conditions that restrict. */
export const givenOf = (conditions: Partial<PostConditions>): string[] =>
  [
    'organizationId',
    'isMarked',
    'listedAccountIds',
    ...[POST_TESTS, TIME_TESTS, DELIVERY_TESTS].flatMap(Object.keys),
  ].filter((name) => (conditions[name as 'platform'] ?? null) !== null)

/** Whether the post in the row `post` meets the given conditions on posts. */
export const isPostWanted = (value: Value, given: readonly string[]) => sql`${all(POST_TESTS, given, value)}
  and ${isListed(value, given, { userId: sql`post.user_id`, id: sql`post.id` })}`

/** Whether one delivery meets all given conditions on deliveries. */
export const isDeliveryWanted = (value: Value, given: readonly string[]) => all(DELIVERY_TESTS, given, value)
