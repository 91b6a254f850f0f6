import { type RawBuilder, sql } from 'kysely'
import { isPostOf } from '../roles.ts'
import type { ValueOf } from './walk.ts'

/**
 * Lists of an organisation walk along `posts.organization_id`, however many members and accounts it has. Instead they
 * merge the walks along the posts of all members if the walk is along deliveries, or if that column may be wrong. It
 * may be wrong until a sweep has corrected it: see `organizations.posts_unmarked_since`.
 */
export interface OrganizationConditions {
  userId: string
  /** The posts of all its members, instead of those of the user. */
  organizationId: string | undefined
  /** Whether `posts.organization_id` is right for all posts of the organisation. Absent if it may be wrong. */
  isMarked?: true
}

type Value = ValueOf<OrganizationConditions>

/** Whether a list is of an organisation. */
export const isShared = (given: readonly string[]) => given.includes('organizationId')
export const isMarked = (given: readonly string[]) => given.includes('isMarked')

/** Whether the row of `posts` or `post_targets` is of the user. */
export const isOfUser = (value: ValueOf<{ userId: string }>) => sql`user_id = ${value('userId')}::uuid`

/** Whether the row of `posts` is marked as one of the organisation. */
export const hasMark = (value: Value) => sql`organization_id = ${value('organizationId')}::uuid`

/** The members of the organisation, each as the row `member`. */
export const membersOf = (value: Value) => sql`(
  select user_id from memberships where organization_id = ${value('organizationId')}::uuid) as member`

/** The values of a walk along the posts of one member. */
export const forMember = <V extends Value>(value: V): V =>
  ((key: 'userId') => (key === 'userId' ? sql.ref('member.user_id') : value(key))) as V

/** Whether the user is a member of the organisation. */
export const isMember = (value: Value, userId: RawBuilder<unknown>) => sql`exists (
  select from memberships
  where memberships.user_id = ${userId} and memberships.organization_id = ${value('organizationId')}::uuid)`

/** Whether a post of a member belongs to the organisation. */
export const isOfOrganization = (
  value: Value,
  given: readonly string[],
  post: { userId: RawBuilder<unknown>; id: RawBuilder<unknown> },
) =>
  isMarked(given)
    ? sql`(
        select true from posts
        where posts.user_id = ${post.userId} and posts.id = ${post.id} and posts.${hasMark(value)}
        limit 1) is not null`
    : isPostOf(sql`${value('organizationId')}`, post)
