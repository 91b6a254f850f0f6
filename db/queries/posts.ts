import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { PostType } from '../../schemas/platform.ts'
import type { Post, PostStatus } from '../../schemas/post.ts'
import { PAGE } from '../../schemas/shared.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import type { DB } from '../types.ts'
import { isoTime } from './iso-time.ts'
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
  ] as const

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
export const listPosts = (db: Db, page: Page): Promise<Post[]> =>
  page.offset === 0 ? listPostsAfter(db, page) : listPostsFrom(db, page)

/**
 * Deletes the user's post with its targets and attachments, unless it is published or being sent. Returns its status
 * before, or nothing if the user has no such post. Locks the deliveries, as a claim does, and then the post, so that
 * neither can change between the check and the delete.
 */
export const deleteUnpublishedPost = prepared<{ userId: string; id: string }, { status: PostStatus; busy: boolean }>(
  'delete_unpublished_post',
  (db, value) =>
    db
      .with('deliveries', (db) =>
        db
          .selectFrom('postTargets')
          .select('state')
          .where('userId', '=', value('userId'))
          .where('postId', '=', value('id'))
          .orderBy('accountId')
          .forUpdate(),
      )
      .with('found', (db) =>
        db
          .selectFrom('posts')
          .select((eb) => [
            'userId',
            'id',
            eb.ref('status').$castTo<PostStatus>().as('status'),
            sql<boolean>`(select coalesce(bool_or(state = 'publishing'), false) from deliveries)`.as('busy'),
          ])
          .where('userId', '=', value('userId'))
          .where('id', '=', value('id'))
          // Always true: it makes Postgres lock the deliveries before the post.
          .where(sql<SqlBool>`(select count(*) from deliveries) >= 0`)
          .forUpdate(),
      )
      .with('deleted', (db) =>
        db
          .deleteFrom('posts')
          .using('found')
          .whereRef('posts.userId', '=', 'found.userId')
          .whereRef('posts.id', '=', 'found.id')
          .where('found.status', '!=', 'published')
          .where('found.busy', '=', false)
          .returning(['posts.userId', 'posts.id']),
      )
      .with('notedMedia', () => noteLastUse(sql.table('deleted')))
      .selectFrom('found')
      .select(['status', 'busy']),
)
