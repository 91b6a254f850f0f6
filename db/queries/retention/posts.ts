import { type Expression, type RawBuilder, sql } from 'kysely'
import { ENDED_STATES } from '../../../schemas/delivery-states.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { noteLastUse } from '../media.ts'
import { isOneOf } from '../one-of.ts'
import { type OldRange, rowsInRange } from './range.ts'

interface PostKey {
  userId: string
  id: string
}

type Time = Date | Expression<Date> | RawBuilder<Date>

/**
 * Whether a delivery ended before `before`. If nothing was published, its last attempt tells: due_at and started_at are
 * older by the time that its retries took.
 */
const isOver = (before: Time) => sql`(
  ${isOneOf('delivery.state', ENDED_STATES)}
  and greatest(delivery.due_at, delivery.started_at, delivery.published_at) < ${before}
  and not exists (
    select from delivery_attempts as attempt
    where attempt.user_id = delivery.user_id and attempt.post_id = delivery.post_id
      and attempt.account_id = delivery.account_id
      and greatest(attempt.started_at, attempt.finished_at) >= ${before}))`

/**
 * The next posts of these users, in the order of their keys, after `after` of the first user and created before
 * `beforeId`. `isOver` tells which are published with deliveries that ended before `before`. A scheduled post is never
 * over: its owner can delete or publish it.
 *
 * It walks the primary key, so that no index on times slows down creating and publishing. UUIDv7 begin with the time.
 */
export async function findOldPosts(db: Db, values: OldRange): Promise<(PostKey & { isOver: boolean })[]> {
  const { rows } = await sql<PostKey & { isOver: boolean }>`
    select page.user_id, page.id,
      page.status = 'published' and page.updated_at < ${values.before}::timestamptz and not exists (
        select from post_targets as delivery
        where delivery.user_id = page.user_id and delivery.post_id = page.id
          and ${isOver(values.before)} is not true) as is_over
    from ${rowsInRange('posts', ['status', 'updated_at'], values)} as page
    order by page.user_id, page.id`.execute(db)
  return rows
}

const deletePosts = prepared<{ userIds: string[]; ids: string[]; before: Date }, { id: string }>(
  'delete_old_posts',
  (_db, value) => sql`
    with item as (
      select * from unnest(${value('userIds')}::uuid[], ${value('ids')}::uuid[]) as item(user_id, id)
    ),
    -- Locks deliveries before their posts, and both in the order of their keys, like every statement. Locked rows are
    -- left to the next sweep.
    locked as (
      select delivery.user_id, delivery.post_id, delivery.account_id
      from item join post_targets as delivery on delivery.user_id = item.user_id and delivery.post_id = item.id
      where ${isOver(sql`${value('before')}::timestamptz`)}
      order by delivery.user_id, delivery.post_id, delivery.account_id
      for update of delivery skip locked
    ),
    over as (
      select item.user_id, item.id
      from item
      left join (select user_id, post_id, count(*) as count from locked group by user_id, post_id) as locked
        on locked.user_id = item.user_id and locked.post_id = item.id
      where coalesce(locked.count, 0) = (
        select count(*) from post_targets where user_id = item.user_id and post_id = item.id)
    ),
    post as (
      select posts.user_id, posts.id
      from over join posts on posts.user_id = over.user_id and posts.id = over.id
      where posts.status = 'published' and posts.updated_at < ${value('before')}::timestamptz
      order by posts.user_id, posts.id
      for update of posts skip locked
    ),
    noted_media as ${noteLastUse(sql`post`)}
    delete from posts using post
    where posts.user_id = post.user_id and posts.id = post.id
    returning posts.id`,
)

/** Deletes those of these posts that are over, with everything that hangs on them. Returns how many it deleted. */
export async function deleteOldPosts(db: Db, posts: PostKey[], before: Date): Promise<number> {
  return (await deletePosts(db, { userIds: each(posts, 'userId'), ids: each(posts, 'id'), before })).length
}
