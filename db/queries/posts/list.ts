import { sql } from 'kysely'
import type { ListedPost } from '../../../schemas/find.ts'
import { PAGE } from '../../../schemas/shared.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import type { Page } from '../page.ts'
import { dropAbsent, listedColumns } from './columns.ts'

/**
 * The user's posts, newest first: ids are UUIDv7, so the primary key has them in this order. The constant limit tells
 * Postgres that every page is small. Otherwise Postgres does not use a generic plan, and planning takes a third of the
 * time of a page.
 */
const selectNewest = (db: Db, userId: string) =>
  db
    .selectFrom('posts')
    .select(listedColumns)
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(sql.lit(PAGE.limitMax))

const listPostsAfter = prepared<Omit<Page, 'offset'>, ListedPost>('list_posts', (db, value) =>
  db
    .selectFrom(selectNewest(db, value('userId')).where('id', '<', value('cursor')).as('page'))
    .selectAll()
    .orderBy('id', 'desc')
    .limit(value('limit')),
)

/**
 * The skipped posts are counted in the primary key alone. An offset on the outer query would read each of their rows.
 */
const listPostsFrom = prepared<Page, ListedPost>('list_posts_from', (db, value) =>
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

/** One page of the user's posts after `cursor`, newest first. If the offset is 0, every page takes the same time. */
export const listPosts = async (db: Db, page: Page): Promise<ListedPost[]> =>
  dropAbsent(await (page.offset === 0 ? listPostsAfter(db, page) : listPostsFrom(db, page)))

// Posts as an API key sees them that is limited to a list of accounts.

interface Listed {
  /** The only accounts of the key. */
  accountIds: readonly string[]
}

/** Whether all accounts of a row of `posts` are in the list. */
const hasListedAccounts = (accountIds: readonly string[]) => sql<boolean>`not exists (
  select from post_targets
  where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id
    and post_targets.account_id <> all(${accountIds}::uuid[]))`

const selectListedPosts = prepared<Page & Listed, ListedPost>('list_listed_posts', (db, value) =>
  db
    .selectFrom('posts')
    .select(listedColumns)
    .where('userId', '=', value('userId'))
    .where('id', '<', value('cursor'))
    .where(hasListedAccounts(value('accountIds')))
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/**
 * A page of the user's posts all of whose accounts are in the list, newest first. It passes over the others one by one.
 */
export const listListedPosts = async (db: Db, page: Page & Listed): Promise<ListedPost[]> =>
  dropAbsent(await selectListedPosts(db, page))

/** Those of these posts that the user has, and all of whose accounts are in the list. */
export const findListedPosts = prepared<{ userId: string; ids: readonly string[] } & Listed, { id: string }>(
  'find_listed_posts',
  (db, value) =>
    db
      .selectFrom('posts')
      .select('id')
      .where('userId', '=', value('userId'))
      .where('id', '=', sql<string>`any(${value('ids')}::uuid[])`)
      .where(hasListedAccounts(value('accountIds'))),
)
