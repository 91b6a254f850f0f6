import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type ListedMedia, POST_IDS_MAX } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { WINDOW_WITH_LOOKUP } from './find/walk.ts'
import { hasWords, postIds, shownMedia } from './media.ts'
import type { Page } from './page.ts'
import type { SharedFile } from './roles.ts'

/*
 * Files as an API key sees them that is limited to a list of accounts: those of posts that it sees, and those that keys
 * for the same accounts have added or resent. A resent file was there before, and the key did not see it: the key may
 * use it in posts, but it does not see its description, and may not change it.
 */

interface Hashes {
  /** The hash of the list: its keys have added the file. */
  accountsHash: Buffer
  /** Another hash of the list: its keys have resent the file. */
  resentHash: Buffer
}

interface Listed extends Hashes {
  accountIds: readonly string[]
}

type ListedValue = (name: keyof Listed) => unknown

/** The values of a list of accounts in these statements. */
export const listOf = (accountIds: readonly string[]): Listed => ({ accountIds, ...hashesOf(accountIds) })

/** The list of a key is one object for as long as the key is cached. */
const hashes = new WeakMap<readonly string[], Hashes>()

function hashesOf(accountIds: readonly string[]): Hashes {
  const found = hashes.get(accountIds) ?? hashList(accountIds.toSorted().join())
  hashes.set(accountIds, found)
  return found
}

const hashList = (list: string): Hashes => ({ accountsHash: sha256(list), resentHash: sha256(`resent ${list}`) })

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Notes that a key has added or resent a file, by one of the two hashes of its list. */
export const noteMediaOfAccounts = (db: Db, { userId, id, hash }: { userId: string; id: string; hash: Buffer }) =>
  sql`
    insert into media_accounts (user_id, media_id, accounts_hash)
    values (${userId}, ${id}, ${hash})
    on conflict do nothing`.execute(db)

/** Whether all accounts of the post of a row `used` of `post_media` are in the list. */
const isOfListedPost = (accountIds: unknown) => sql<boolean>`not exists (
  select from post_targets
  where post_targets.user_id = used.user_id and post_targets.post_id = used.post_id
    and post_targets.account_id <> all(${accountIds}::uuid[]))`

/** Whether a row of `media_accounts` says that keys for these accounts have added or resent its file. */
const isNotedBy = (value: ListedValue) =>
  sql`media_accounts.accounts_hash in (${value('accountsHash')}::bytea, ${value('resentHash')}::bytea)`

const isListedFile = (
  file: { userId: RawBuilder<unknown>; id: RawBuilder<unknown> },
  value: ListedValue,
) => sql<boolean>`(
  exists (
    select from media_accounts
    where media_accounts.user_id = ${file.userId} and media_accounts.media_id = ${file.id}
      and ${isNotedBy(value)})
  or exists (
    select from post_media as used
    where used.user_id = ${file.userId} and used.media_id = ${file.id} and ${isOfListedPost(value('accountIds'))}))`

/** Whether keys for these accounts have resent the file of a row of `media`, and none has added it. */
const isResent = (value: ListedValue) => sql<boolean>`coalesce((
  select bool_and(accounts_hash = ${value('resentHash')}::bytea) from media_accounts
  where media_accounts.user_id = media.user_id and media_accounts.media_id = media.id and ${isNotedBy(value)}), false)`

/** Those of these files of the user that the key sees. */
export const findListedMedia = prepared<{ userId: string; ids: readonly string[] } & Listed, { id: string }>(
  'find_listed_media',
  (_db, value) => sql`
    select id from media
    where user_id = ${value('userId')} and id = any(${value('ids')}::uuid[])
      and ${isListedFile({ userId: sql`media.user_id`, id: sql`media.id` }, value)}`,
)

/** A file of the user that the key sees, with its posts that the key sees. */
export const findListedFile = prepared<{ userId: string; id: string } & Listed, SharedFile & { isResent: boolean }>(
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
        as is_used_elsewhere,
      ${isResent(value)} as is_resent
    from media
    where user_id = ${value('userId')} and id = ${value('id')}
      and ${isListedFile({ userId: sql`media.user_id`, id: sql`media.id` }, value)}`,
)

interface FoundPage {
  /** Newest first. */
  ids: string[]
  /** The oldest file that was looked at; null if there was none. */
  lastId: string | null
  hasMore: boolean
}

/** Whether the key sees all these words at a file. An empty list finds every file. */
const isNamed = (value: (name: keyof Searched) => unknown) => sql<boolean>`(
  cardinality(${value('words')}::text[]) = 0
  or exists (
    select from media
    where media.user_id = file.user_id and media.id = file.id
      and ${hasWords(value('words'))} and not ${isResent(value)}))`

interface Searched extends Listed {
  words: readonly string[]
}

/** Looks at a bounded number of files, because the key may see few of them. */
const findPage = prepared<Page & Searched & { looks: number }, FoundPage>(
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
        where ${isListedFile({ userId: sql`file.user_id`, id: sql`file.id` }, value)} and ${isNamed(value)}
        limit ${value('limit')}::integer offset ${value('offset')}::integer) as ids,
      (select id from seen order by id limit 1) as last_id,
      (select count(*) from seen) = ${value('looks')}::integer as has_more`,
)

type FoundMedia = ListedMedia & { isResent: boolean }

const readPage = prepared<{ userId: string; ids: string[] } & Listed, FoundMedia>('read_listed_media', (db, value) =>
  db
    .selectFrom('media')
    .select(shownMedia)
    .select([postIds(POST_IDS_MAX.listed, isOfListedPost(value('accountIds'))), isResent(value).as('isResent')])
    .where('userId', '=', value('userId'))
    .where('id', '=', sql<string>`any(${value('ids')}::uuid[])`)
    .where('kind', 'is not', null)
    .orderBy('id', 'desc'),
)

const LOOKS_MAX = 2 ** 31 - 1

/** A page of the user's files that the key sees, and the place at which it ended; null at the end of the list. */
export async function listListedMedia(
  db: Db,
  { accountIds, ...page }: Page & { accountIds: readonly string[]; words: readonly string[] },
): Promise<{ data: FoundMedia[]; last: { id: string; isSeen: boolean } | null }> {
  const { userId, limit, offset } = page
  const looks = offset === 0 ? WINDOW_WITH_LOOKUP : LOOKS_MAX
  const listed = listOf(accountIds)
  const [found] = await findPage(db, { ...page, ...listed, looks })
  const { ids, lastId, hasMore } = found!
  const data = ids.length > 0 ? await readPage(db, { userId, ids, ...listed }) : []
  if (ids.length === limit) return { data, last: { id: ids.at(-1)!, isSeen: true } }
  return { data, last: hasMore ? { id: lastId!, isSeen: false } : null }
}
