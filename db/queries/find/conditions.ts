import { type RawBuilder, sql } from 'kysely'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import { NEEDS_OWNER_STATES } from '../../../schemas/delivery-states.ts'
import type { PostStatus } from '../../../schemas/post.ts'
import { isOneOf } from '../one-of.ts'
import type { OrganizationConditions } from './organization.ts'
import { isGiven } from './walk.ts'

/** Conditions on the posts of a list. Null does not restrict. */
export interface PostConditions extends OrganizationConditions {
  /** One delivery of the post has to be for an account with this tag. Absent, it does not restrict. */
  accountTag?: string | undefined
  /** The accounts with this tag, as the database knows them. */
  taggedAccountIds?: readonly string[]
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

const from = (column: RawBuilder<unknown>, time: Date | null) => sql`${column} >= ${time}::timestamptz`
const before = (column: RawBuilder<unknown>, time: Date | null) => sql`${column} < ${time}::timestamptz`

type Times = Pick<PostConditions, 'scheduledFrom' | 'scheduledBefore'>

/** The meaning of the conditions on times that a post or a delivery is scheduled for. */
const TIME_TESTS = {
  scheduledFrom: (values: Times, time: RawBuilder<unknown>) => from(time, values.scheduledFrom),
  scheduledBefore: (values: Times, time: RawBuilder<unknown>) => before(time, values.scheduledBefore),
}

/** The meaning of each condition on posts, in the row `post`: deliveries beside it have columns of the same names. */
const POST_TESTS = {
  statuses: (values: PostConditions) => sql`post.status = any(${values.statuses}::text[])`,
  postType: (values: PostConditions) => sql`post.post_type = ${values.postType}::text`,
  externalReference: (values: PostConditions) => sql`post.external_reference = ${values.externalReference}::text`,
  words: (values: PostConditions) => sql`(
    select true from post_words
    where post_words.user_id = post.user_id and post_words.post_id = post.id
      and post_words.words @> ${values.words}::text[]
    limit 1) is not null`,
  createdFrom: (values: PostConditions) => from(sql`post.created_at`, values.createdFrom),
  createdBefore: (values: PostConditions) => before(sql`post.created_at`, values.createdBefore),
  updatedFrom: (values: PostConditions) => from(sql`post.updated_at`, values.updatedFrom),
  updatedBefore: (values: PostConditions) => before(sql`post.updated_at`, values.updatedBefore),
}

/** The condition of the index of deliveries that have an error, or that need their owner. */
export const TROUBLED = sql`(${isOneOf('state', NEEDS_OWNER_STATES)} or error is not null)`

type DeliveryTests = Pick<PostConditions, 'states' | 'errorCode' | 'accountId' | 'taggedAccountIds' | 'platform'>

/** The meaning of each condition on deliveries. */
const DELIVERY_TESTS = {
  states: (values: DeliveryTests) => sql`delivery.state = any(${values.states}::text[])`,
  errorCode: (values: DeliveryTests) => sql`delivery.error ->> 'code' = ${values.errorCode}::text`,
  accountId: (values: DeliveryTests) => sql`delivery.account_id = ${values.accountId}::uuid`,
  taggedAccountIds: (values: DeliveryTests) => sql`delivery.account_id = any(${values.taggedAccountIds}::uuid[])`,
  platform: (values: DeliveryTests) => sql`delivery.platform = ${values.platform}::text`,
}

/**
 * Whether a post has accounts of the list alone. No `exists`, for which Postgres may read the whole table into a hash.
 */
export const isListed = (
  values: Pick<PostConditions, 'listedAccountIds'>,
  post: { userId: RawBuilder<unknown>; id: RawBuilder<unknown> },
) =>
  isGiven(values.listedAccountIds)
    ? sql`(
        select true from post_targets as other
        where other.user_id = ${post.userId} and other.post_id = ${post.id}
          and other.account_id <> all(${values.listedAccountIds}::uuid[])
        limit 1) is null`
    : sql`true`

/** The names of the conditions with a test that restrict. */
const given = <N extends string>(tests: Record<N, unknown>, conditions: NoInfer<{ [name in N]?: unknown }>): N[] =>
  (Object.keys(tests) as N[]).filter((name) => isGiven(conditions[name]))

const all = (tests: RawBuilder<unknown>[]) => (tests.length > 0 ? sql.join(tests, sql` and `) : sql`true`)

/** Whether a list has conditions on the times that deliveries are scheduled for. */
export const hasTimes = (values: Times) => given(TIME_TESTS, values).length > 0

/** Whether a time meets the given conditions on such times. */
export const isInTimes = (values: Times, time: RawBuilder<unknown>) =>
  all(given(TIME_TESTS, values).map((name) => TIME_TESTS[name](values, time)))

/** The conditions on deliveries that restrict. */
export const deliveryConditionsOf = (values: DeliveryTests) => given(DELIVERY_TESTS, values)

/** Whether the post in the row `post` meets the given conditions on posts. */
export const isPostWanted = (values: PostConditions) => sql`
  ${all(given(POST_TESTS, values).map((name) => POST_TESTS[name](values)))}
  and ${isListed(values, { userId: sql`post.user_id`, id: sql`post.id` })}`

/** Whether one delivery meets all given conditions on deliveries. */
export const isDeliveryWanted = (values: DeliveryTests) =>
  all(deliveryConditionsOf(values).map((name) => DELIVERY_TESTS[name](values)))
