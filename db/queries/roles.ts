import { type Expression, type RawBuilder, sql } from 'kysely'
import { prepared } from '../prepared.ts'

// Rights of an organisation's admin beside those of every member. `ROLES` describes them.

/** Whether a row of `accounts` belongs to an organisation that the user administers. */
export const isAdministeredBy = (userId: string | Expression<string>) => sql<boolean>`(
  case when accounts.organization_id is null then false else accounts.organization_id = any(array(
    select memberships.organization_id from memberships
    where memberships.user_id = ${userId} and memberships.role = 'admin')) end)`

/** Whether a post belongs to an organisation: it has accounts, and all of them do. */
export const isPostOf = (
  organizationId: string | RawBuilder<unknown>,
  post: { userId: RawBuilder<unknown>; id: RawBuilder<unknown> },
) => sql<boolean>`coalesce((
  select bool_and(accounts.organization_id is not distinct from ${organizationId}::uuid)
  from post_targets as any_delivery join accounts on accounts.id = any_delivery.account_id
  where any_delivery.user_id = ${post.userId} and any_delivery.post_id = ${post.id}), false)`

/** The organisation that these rows of `accounts` all belong to, as an aggregate. Null if they have none in common. */
export const commonOrganization = sql<string | null>`(
  case when count(accounts.organization_id) = count(*)
    and min(accounts.organization_id::text) = max(accounts.organization_id::text)
  then min(accounts.organization_id::text)::uuid end)`

/**
 * Who made a post: another member of an organisation that the user administers. The post may belong to no organisation.
 */
export const findAuthor = prepared<{ userId: string; id: string }, { userId: string }>(
  'find_author',
  (_db, value) => sql`
    select posts.user_id
    from memberships as own
    join memberships as other on other.organization_id = own.organization_id and other.user_id <> own.user_id
    join posts on posts.user_id = other.user_id and posts.id = ${value('id')}
    where own.user_id = ${value('userId')} and own.role = 'admin'
    limit 1`,
)

/**
 * The accounts of an organisation that the user administers, that the author is a member of, and that all these
 * accounts belong to. Disconnected ones are among them.
 */
export const findOrganizationAccounts = prepared<
  { userId: string; authorId: string; accountIds: readonly string[] },
  { accountIds: string[] }
>(
  'find_organization_accounts',
  (_db, value) => sql`
    select shared.account_ids
    from memberships as own
    join memberships as other on other.organization_id = own.organization_id and other.user_id = ${value('authorId')}
    cross join lateral (
      select array(select id from accounts where accounts.organization_id = own.organization_id) as account_ids) as shared
    where own.user_id = ${value('userId')} and own.role = 'admin'
      and shared.account_ids @> ${value('accountIds')}::uuid[]
    limit 1`,
)

/** A file that another member uses in posts of an organisation that the user administers. */
export interface SharedFile {
  /** The owner of the file. */
  userId: string
  /** Its posts that belong to such an organisation. */
  postIds: string[]
  /** Whether it has others. */
  isUsedElsewhere: boolean
}

/** Posts with other accounts than `accountIds` count as posts of no organisation, unless it is null. */
export const findSharedFile = prepared<
  { userId: string; id: string; accountIds: readonly string[] | null },
  SharedFile
>(
  'find_shared_file',
  (_db, value) => sql`
    with used as (
      select post_media.user_id, post_media.post_id,
        bool_or(${isPostOf(sql`own.organization_id`, { userId: sql`post_media.user_id`, id: sql`post_media.post_id` })})
          and not exists (
            select from post_targets
            where post_targets.user_id = post_media.user_id and post_targets.post_id = post_media.post_id
              and post_targets.account_id <> all(${value('accountIds')}::uuid[])) as is_shared
      from memberships as own
      join memberships as other on other.organization_id = own.organization_id and other.user_id <> own.user_id
      join post_media on post_media.user_id = other.user_id and post_media.media_id = ${value('id')}
      where own.user_id = ${value('userId')} and own.role = 'admin'
      group by post_media.user_id, post_media.post_id
    )
    select user_id, array_agg(post_id) filter (where is_shared) as post_ids, not bool_and(is_shared) as is_used_elsewhere
    from used
    group by user_id
    having bool_or(is_shared)`,
)
