import { type ExpressionBuilder, sql } from 'kysely'
import type { PostType } from '../../schemas/platform.ts'
import type { Post, PostStatus } from '../../schemas/post.ts'
import { PAGE } from '../../schemas/shared.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import type { DB } from '../types.ts'
import { postEvent } from './events/post.ts'
import { isoTime } from './iso-time.ts'
import { type LockedPost, withLockedPost } from './lock-post.ts'
import { noteLastUse } from './media.ts'
import type { Page } from './page.ts'

/** The columns of a post in the API. */
export const postColumns = (eb: ExpressionBuilder<DB, 'posts'>) =>
  [
    'id',
    'userId',
    'caption',
    'firstComment',
    eb.ref('postType').$castTo<PostType>().as('postType'),
    eb.ref('status').$castTo<PostStatus>().as('status'),
    isoTime<string | null>('scheduledAt').as('scheduledAt'),
    isoTime('createdAt').as('createdAt'),
    isoTime('updatedAt').as('updatedAt'),
    'externalReference',
    eb.ref('metadata').$castTo<Record<string, string> | null>().as('metadata'),
  ] as const

/** Leaves out what a post does not have, as the API does. Changes the rows, which takes less time than copies would. */
export function dropAbsent<T>(posts: T[]): T[] {
  for (const post of posts as { externalReference: unknown; metadata: unknown }[]) {
    if (post.externalReference === null) post.externalReference = undefined
    if (post.metadata === null) post.metadata = undefined
  }
  return posts
}

/**
 * The user's posts, newest first: ids are UUIDv7, so the primary key has them in this order. The constant limit tells
 * Postgres that every page is small. Without it, Postgres does not use a generic plan, and planning takes a third of
 * the time of a page.
 */
const selectNewest = (db: Db, userId: string) =>
  db
    .selectFrom('posts')
    .select(postColumns)
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(sql.lit(PAGE.limitMax))

const listPostsAfter = prepared<Omit<Page, 'offset'>, Post>('list_posts', (db, value) =>
  db
    .selectFrom(selectNewest(db, value('userId')).where('id', '<', value('cursor')).as('page'))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(value('limit')),
)

/**
 * The skipped posts are counted in the primary key alone. An offset on the outer query would read each of their rows.
 */
const listPostsFrom = prepared<Page, Post>('list_posts_from', (db, value) =>
  db
    .selectFrom(
      selectNewest(db, value('userId'))
        .where('id', '<=', (eb) =>
          eb
            .selectFrom('posts')
            .select('id')
            .where('userId', '=', value('userId'))
            .where('id', '<', value('cursor'))
            .orderBy('id', 'desc')
            .offset(value('offset'))
            .limit(1),
        )
        .as('page'),
    )
    .selectAll()
    .orderBy('id', 'desc')
    .limit(value('limit')),
)

/** One page of the user's posts after `cursor`, newest first. Without an offset, every page takes the same time. */
export const listPosts = async (db: Db, page: Page): Promise<Post[]> =>
  dropAbsent(await (page.offset === 0 ? listPostsAfter(db, page) : listPostsFrom(db, page)))

/**
 * Deletes the user's post with its targets and attachments, unless it is published or being sent. Returns its status
 * before. Returns nothing if the user has no such post, or if the statement has to be repeated: see `withLockedPost`. Locks
 * the deliveries, as a claim does, and then the post, so that neither can change between the check and the delete.
 */
export const deleteUnpublishedPost = prepared<{ userId: string; id: string }, LockedPost>(
  'delete_unpublished_post',
  (db, value) =>
    withLockedPost(db, { userId: value('userId'), id: value('id') })
      .with('deleted', (db) =>
        db
          .deleteFrom('posts')
          .using('found')
          .whereRef('posts.userId', '=', 'found.userId')
          .whereRef('posts.id', '=', 'found.id')
          .where('found.status', '!=', 'published')
          .where('found.busy', '=', false)
          .returning([
            'posts.userId',
            'posts.id',
            'posts.status',
            'posts.scheduledAt',
            'posts.externalReference',
            'posts.metadata',
          ]),
      )
      .with('notedMedia', () => noteLastUse(sql.table('deleted')))
      .with(
        'event',
        () => sql<Record<never, never>>`(
          insert into event_outbox (user_id, type, post_id, account_ids, data)
          select user_id, 'post.deleted', id, array(select account_id from deliveries), ${postEvent('deleted')}
          from deleted)`,
      )
      .selectFrom('found')
      .select(['status', 'busy']),
)
