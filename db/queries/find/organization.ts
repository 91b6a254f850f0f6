import { type RawBuilder, sql } from 'kysely'
import { isPostOf } from '../roles.ts'
import { isGiven } from './walk.ts'

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

/** Whether a list is of an organisation. */
export const isShared = (values: OrganizationConditions) => isGiven(values.organizationId)
export const isMarked = (values: OrganizationConditions) => isGiven(values.isMarked)

/** Whether the row of `posts` or `post_targets` is of the user. */
export const isOfUser = (values: { userId: string }) => sql`user_id = ${values.userId}::uuid`

/** Whether the row of `posts` is marked as one of the organisation. */
export const hasMark = (values: OrganizationConditions) => sql`organization_id = ${values.organizationId}::uuid`

/** The rows of a walk along the posts of each member, as `walk`. */
export const ofMembers = <V extends OrganizationConditions>(values: V, walk: (member: V) => RawBuilder<unknown>) => sql`
  select walk.* from (select user_id from memberships where organization_id = ${values.organizationId}::uuid) as member
  cross join lateral (${walk({ ...values, userId: sql.ref('member.user_id') as never })}) as walk`

/** Whether the user is a member of the organisation. */
export const isMember = (values: OrganizationConditions, userId: RawBuilder<unknown>) => sql`exists (
  select from memberships
  where memberships.user_id = ${userId} and memberships.organization_id = ${values.organizationId}::uuid)`

/** Whether a post of a member belongs to the organisation. */
export const isOfOrganization = (
  values: OrganizationConditions,
  post: { userId: RawBuilder<unknown>; id: RawBuilder<unknown> },
) =>
  isMarked(values)
    ? sql`(
        select true from posts
        where posts.user_id = ${post.userId} and posts.id = ${post.id} and posts.${hasMark(values)}
        limit 1) is not null`
    : isPostOf(sql`${values.organizationId}`, post)
