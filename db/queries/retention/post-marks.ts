import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import { NO_ID } from '../../id.ts'
import { commonOrganization } from '../roles.ts'

/**
 * How far a walk along the posts of an organisation has come. It visits the marked posts first, then the posts of each
 * account.
 */
export interface MarkWalk {
  organizationId: string
  /** Its `posts_unmarked_since` when the walk began, as Postgres writes it: a Date has no microseconds. */
  since: string
  /** NO_ID for the posts with its mark. */
  accountId: string
  userId: string
  postId: string
}

/**
 * The start of a walk along the posts of an organisation whose `posts.organization_id` may be wrong. A minute after the
 * move of an account, all requests that began before it have written their posts.
 */
export async function findUnmarkedOrganization(db: Db): Promise<MarkWalk | undefined> {
  const { rows } = await sql<{ organizationId: string; since: string }>`
    select id as organization_id, posts_unmarked_since::text as since from organizations
    where posts_unmarked_since < now() - interval '1 minute'
    order by id limit 1`.execute(db)
  return rows[0] && { ...rows[0], accountId: NO_ID, userId: NO_ID, postId: NO_ID }
}

/** The next account of the organisation; undefined after the last one. */
export async function nextAccountOf(db: Db, { organizationId, accountId }: MarkWalk): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where organization_id = ${organizationId} and id > ${accountId}
    order by id limit 1`.execute(db)
  return rows[0]?.id
}

interface WalkedPost {
  userId: string
  postId: string
  isWrong: boolean
}

const rightMark = sql`(
  select ${commonOrganization} from post_targets join accounts on accounts.id = post_targets.account_id
  where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id)`

/** The next posts of the walk. */
export async function readMarks(
  db: Db,
  { organizationId, accountId, userId, postId }: MarkWalk,
  limit: number,
): Promise<WalkedPost[]> {
  const page =
    accountId === NO_ID
      ? sql`
        select user_id, id as post_id from posts
        where organization_id = ${organizationId} and id > ${postId}
        order by id limit ${limit}`
      : sql`
        select user_id, post_id from post_targets
        where account_id = ${accountId} and (user_id, post_id) > (${userId}::uuid, ${postId}::uuid)
        order by user_id, post_id limit ${limit}`
  const { rows } = await sql<WalkedPost>`
    with page as (${page})
    select page.user_id, page.post_id, posts.organization_id is distinct from ${rightMark} as is_wrong
    from page join posts on posts.user_id = page.user_id and posts.id = page.post_id
    order by ${accountId === NO_ID ? sql`page.post_id` : sql`page.user_id, page.post_id`}`.execute(db)
  return rows
}

/** Corrects `organization_id` of these posts. */
export const correctMarks = (db: Db, posts: WalkedPost[]): Promise<void> =>
  db.transaction().execute(async (db) => {
    const keys = sql`unnest(${posts.map(({ userId }) => userId)}::uuid[], ${posts.map(({ postId }) => postId)}::uuid[])
      as key(user_id, post_id) on key.user_id = posts.user_id and key.post_id = posts.id`
    // A statement of its own, so that the next one sees what the owner of a post has changed before.
    await sql`
      select from posts join ${keys} order by posts.user_id, posts.id for no key update of posts`.execute(db)
    await sql`
      update posts set organization_id = ${rightMark}
      where (user_id, id) in (select posts.user_id, posts.id from posts join ${keys})`.execute(db)
  })

/** Notes that all posts of the organisation are marked, unless an account was moved since the walk began. */
export const endUnmarked = (db: Db, { organizationId, since }: MarkWalk) =>
  sql`
    update organizations set posts_unmarked_since = null
    where id = ${organizationId} and posts_unmarked_since = ${since}::timestamptz`.execute(db)
