import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type ListedMedia, POST_IDS_MAX } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { WINDOW_WITH_LOOKUP } from './find/walk.ts'
import { postIds, shownMedia } from './media.ts'
import type { Page } from './page.ts'
import type { SharedFile } from './roles.ts'

/*
 * Files as an API key sees them that is limited to a list of accounts: those of posts that it sees, and those that a
 * key for the same accounts has added.
 */

interface Listed {
  accountIds: readonly string[]
  accountsHash: Buffer
}

/** The values of a list of accounts in these statements. */
export const listOf = (accountIds: readonly string[]): Listed => ({ accountIds, accountsHash: hashOf(accountIds) })

/** The list of a key is one object for as long as the key is cached. */
const hashes = new WeakMap<readonly string[], Buffer>()

function hashOf(accountIds: readonly string[]): Buffer {
  const hash = hashes.get(accountIds) ?? createHash('sha256').update(accountIds.toSorted().join()).digest()
  hashes.set(accountIds, hash)
  return hash
}

/** Notes that a key for these accounts has added a file, or sent the same bytes again. */
export const noteMediaOfAccounts = (db: Db, userId: string, mediaId: string, accountIds: readonly string[]) =>
  sql`
    insert into media_accounts (user_id, media_id, accounts_hash)
    values (${userId}, ${mediaId}, ${hashOf(accountIds)})
    on conflict do nothing`.execute(db)

/** Whether all accounts of the post of a row `used` of `post_media` are in the list. */
const isOfListedPost = (accountIds: readonly string[] | RawBuilder<unknown>) => sql<boolean>`not exists (
  select from post_targets
  where post_targets.user_id = used.user_id and post_targets.post_id = used.post_id
    and post_targets.account_id <> all(${accountIds}::uuid[]))`

const isListedFile = (
  file: { userId: RawBuilder<unknown>; id: RawBuilder<unknown> },
  { accountIds, accountsHash }: Listed,
) => sql<boolean>`(
  exists (
    select from media_accounts
    where media_accounts.user_id = ${file.userId} and media_accounts.media_id = ${file.id}
      and media_accounts.accounts_hash = ${accountsHash}::bytea)
  or exists (
    select from post_media as used
    where used.user_id = ${file.userId} and used.media_id = ${file.id} and ${isOfListedPost(accountIds)}))`

/** Those of these files of the user that the key sees. */
export const findListedMedia = prepared<{ userId: string; ids: readonly string[] } & Listed, { id: string }>(
  'find_listed_media',
  (_db, value) => sql`
    select id from media
    where user_id = ${value('userId')} and id = any(${value('ids')}::uuid[])
      and ${isListedFile({ userId: sql`media.user_id`, id: sql`media.id` }, { accountIds: value('accountIds'), accountsHash: value('accountsHash') })}`,
)

/** A file of the user that the key sees, with those of its posts that it sees. */
export const findListedFile = prepared<{ userId: string; id: string } & Listed, SharedFile>(
  'find_listed_file',
  (_db, value) => sql`
    select user_id,
      array(
        select distinct post_id from post_media as used
        where used.user_id = media.user_id and used.media_id = media.id and ${isOfListedPost(value('accountIds'))}
        limit ${sql.lit(POST_IDS_MAX.detail)}) as post_ids,
      exists (
        select from post_media as used
        where used.user_id = media.user_id and used.media_id = media.id and not ${isOfListedPost(value('accountIds'))})
        as is_used_elsewhere
    from media
    where user_id = ${value('userId')} and id = ${value('id')}
      and ${isListedFile({ userId: sql`media.user_id`, id: sql`media.id` }, { accountIds: value('accountIds'), accountsHash: value('accountsHash') })}`,
)

interface FoundPage {
  /** Newest first. */
  ids: string[]
  /** The oldest file that was looked at; null if there was none. */
  lastId: string | null
  hasMore: boolean
}

/** Looks at a bounded number of files, because the key may see few of them. */
const findPage = prepared<Page & Listed & { looks: number }, FoundPage>(
  'find_listed_media_page',
  (_db, value) => sql`
    with seen as materialized (
      select user_id, id from media
      where user_id = ${value('userId')} and id < ${value('cursor')}::uuid and kind is not null
      order by id desc
      limit ${value('looks')}::integer
    )
    select
      array(
        select id from (select user_id, id from seen order by id desc offset 0) as file
        where ${isListedFile({ userId: sql`file.user_id`, id: sql`file.id` }, { accountIds: value('accountIds'), accountsHash: value('accountsHash') })}
        limit ${value('limit')}::integer offset ${value('offset')}::integer) as ids,
      (select id from seen order by id limit 1) as last_id,
      (select count(*) from seen) = ${value('looks')}::integer as has_more`,
)

const readPage = prepared<{ userId: string; ids: string[]; accountIds: readonly string[] }, ListedMedia>(
  'read_listed_media',
  (db, value) =>
    db
      .selectFrom('media')
      .select(shownMedia)
      .select(postIds(POST_IDS_MAX.listed, isOfListedPost(value('accountIds'))))
      .where('userId', '=', value('userId'))
      .where('id', '=', sql<string>`any(${value('ids')}::uuid[])`)
      .where('kind', 'is not', null)
      .orderBy('id', 'desc'),
)

const LOOKS_MAX = 2 ** 31 - 1

/** A page of the user's files that the key sees, and the place at which it ended; null at the end of the list. */
export async function listListedMedia(
  db: Db,
  { accountIds, ...page }: Page & { accountIds: readonly string[] },
): Promise<{ data: ListedMedia[]; last: { id: string; isSeen: boolean } | null }> {
  const { userId, limit, offset } = page
  const looks = offset === 0 ? WINDOW_WITH_LOOKUP : LOOKS_MAX
  const [found] = await findPage(db, { ...page, ...listOf(accountIds), looks })
  const { ids, lastId, hasMore } = found!
  const data = ids.length > 0 ? await readPage(db, { userId, ids, accountIds }) : []
  if (ids.length === limit) return { data, last: { id: ids.at(-1)!, isSeen: true } }
  return { data, last: hasMore ? { id: lastId!, isSeen: false } : null }
}
