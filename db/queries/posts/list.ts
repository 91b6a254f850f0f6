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

interface ListedPage extends Page, Listed {
  /** How many posts are looked at one by one. */
  looks: number
}

const selectListedPosts = prepared<ListedPage, ListedPost>('list_listed_posts', (db, value) =>
  db
    .selectFrom(
      db
        .selectFrom('posts')
        .selectAll()
        .where('userId', '=', value('userId'))
        .where('id', '<', value('cursor'))
        .orderBy('id', 'desc')
        .limit(value('looks'))
        .as('posts'),
    )
    .select(listedColumns)
    .where(hasListedAccounts(value('accountIds')))
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset'))
    .$castTo<ListedPost>(),
)

/**
 * The same page, if the user has more than `looks` posts; no row otherwise. Each account gives its own next posts. The
 * row comparison makes Postgres read the index on accounts: the primary key would lead through all posts of the user.
 */
const selectSparsePosts = prepared<ListedPage, ListedPost>('list_sparse_posts', (db, value) =>
  db
    .selectFrom('posts')
    .select(listedColumns)
    .where('userId', '=', value('userId'))
    .where(
      'id',
      'in',
      sql<string>`(
        select distinct own.post_id
        from unnest(${value('accountIds')}::uuid[]) as listed(account_id)
        cross join lateral (
          select post_id from post_targets as target
          where account_id = listed.account_id and user_id = ${value('userId')}
            and (account_id, user_id, post_id) < (listed.account_id, ${value('userId')}::uuid, ${value('cursor')}::uuid)
            and (
              select bool_and(other.account_id = any(${value('accountIds')}::uuid[]))
              from post_targets as other
              where other.user_id = target.user_id and other.post_id = target.post_id)
          order by account_id desc, user_id desc, post_id desc
          limit ${value('limit')}) as own
        where exists (
          select from posts
          where user_id = ${value('userId')} and id < ${value('cursor')}
          order by id desc offset ${value('looks')} limit 1)
        order by own.post_id desc
        limit ${value('limit')})`,
    )
    .orderBy('id', 'desc'),
)

const LOOKS_MAX = 2 ** 31 - 1

/**
 * A page of the user's posts all of whose accounts are in the list, newest first. It passes over others one by one, as
 * many as the other way may read: each account of the list once for each post of the page.
 */
export async function listListedPosts(db: Db, page: Page & Listed): Promise<ListedPost[]> {
  const { accountIds, limit, offset } = page
  const looks = offset === 0 ? Math.min(accountIds.length * limit, LOOKS_MAX) : LOOKS_MAX
  const next = await selectListedPosts(db, { ...page, looks })
  const sparse = offset === 0 && next.length < limit ? await selectSparsePosts(db, { ...page, looks }) : []
  return dropAbsent(sparse.length > 0 ? sparse : next)
}
