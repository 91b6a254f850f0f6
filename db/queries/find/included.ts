import { type Selectable, sql } from 'kysely'
import type { DeliveryCounts, ListedFile } from '../../../schemas/find.ts'
import type { MediaKind } from '../../../schemas/media.ts'
import { PAGE } from '../../../schemas/shared.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import type { PostTargets } from '../../types.ts'
import { type TargetRow, targetColumns } from '../posts/targets.ts'

interface PostsOfPage {
  userId: string
  ids: string[]
}

/** The number of deliveries in each state, of each of these posts. */
export const countStates = prepared<PostsOfPage, { id: string; states: DeliveryCounts }>(
  'count_states',
  (_db, value) => sql`
    select post_id as id, json_object_agg(state, count) as states
    from (
      select post_id, state, count(*) as count from post_targets
      where user_id = ${value('userId')}::uuid and post_id = any(${value('ids')}::uuid[])
      group by 1, 2) as counted
    group by post_id`,
)

/** Bytes. A post with a longer target is read alone: the fields of one account may have a megabyte. */
const SHORT_BYTES_MAX = 2_000
/** Bytes of a target in JSON beside its content. */
const FACTS_BYTES = 500
/** As many as fill a page. A single post has fewer. */
const TARGETS_MAX = Math.ceil(PAGE.bytesMax / FACTS_BYTES)

const CONTENT = ['fields', 'thread_parts', 'edit', 'sent'].map((column) => `post_targets.${column}`)
/** Postgres knows the stored length of a value without reading it. It is the whole length unless it is compressed. */
const contentBytes = sql.raw(
  ['octet_length(caption_override)', ...CONTENT.map((column) => `pg_column_size(${column})`)]
    .map((bytes) => `coalesce(${bytes}, 0)`)
    .join(' + '),
)
const isCompressed = sql.raw(CONTENT.map((column) => `pg_column_compression(${column}) is not null`).join(' or '))

interface ListedTargetRow extends TargetRow {
  /** The place of its post in the list of ids, from 1. */
  number: number
  bytes: number
  isLong: boolean
}

interface TargetsOfPosts {
  userIds: string[]
  ids: string[]
  /** Whether long targets have their content. */
  isWhole: boolean
}

/** Postgres sorts post by post, and stops at the limit. */
const selectTargets = prepared<TargetsOfPosts, ListedTargetRow>('read_targets', (db, value) =>
  db
    .selectFrom(
      sql<{ userId: string; id: string; number: number }>`unnest(
        ${value('userIds')}::uuid[], ${value('ids')}::uuid[]) with ordinality`.as<'page'>(
        sql`page(user_id, id, number)`,
      ),
    )
    .innerJoin('posts', (join) => join.onRef('posts.userId', '=', 'page.userId').onRef('posts.id', '=', 'page.id'))
    .innerJoinLateral(
      sql<Selectable<PostTargets>>`(
        select *, ${contentBytes} as bytes, ${contentBytes} > ${sql.lit(SHORT_BYTES_MAX)} or ${isCompressed} as is_long
        from post_targets
        where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id
        offset 0)`.as('postTargets'),
      (join) => join.onTrue(),
    )
    .innerJoin('accounts', 'accounts.id', 'postTargets.accountId')
    .leftJoin('accountCredentials', 'accountCredentials.accountId', 'accounts.id')
    .select([
      'page.number',
      sql`post_targets.bytes`.as('bytes'),
      sql`post_targets.is_long`.as('isLong'),
      ...targetColumns((content) => sql`case when ${value('isWhole')} or not post_targets.is_long then ${content} end`),
    ])
    .orderBy(sql`page.number, post_targets.position, post_targets.account_id`)
    .limit(sql.lit(TARGETS_MAX))
    .$castTo<ListedTargetRow>(),
)

/** The accounts of these posts, with their deliveries, in the order of the ids. They end at `PAGE.bytesMax`. */
export async function readTargets(db: Db, { userIds, ids }: Omit<TargetsOfPosts, 'isWhole'>): Promise<TargetRow[][]> {
  const rows = await selectTargets(db, { userIds, ids, isWhole: false })
  // The last post at the limit may lack accounts.
  const count = rows.length < TARGETS_MAX ? ids.length : rows.at(-1)!.number - 1
  const posts: ListedTargetRow[][] = Array.from({ length: count }, () => [])
  for (const row of rows) posts[row.number - 1]?.push(row)
  let bytes = 0
  for (const [index, targets] of posts.entries()) {
    if (bytes >= PAGE.bytesMax) return posts.slice(0, index)
    if (targets.some(({ isLong }) => isLong)) {
      posts[index] = await selectTargets(db, { userIds: [userIds[index]!], ids: [ids[index]!], isWhole: true })
      bytes += JSON.stringify(posts[index]).length
    } else bytes += targets.reduce((sum, target) => sum + FACTS_BYTES + target.bytes, 0)
  }
  return posts
}

type StoredFile = Omit<ListedFile, 'url' | 'previewUrl'> & { storageKey: string | null }

/** The files with these ids. A type that is neither image nor video is not among them, as the API does not show it. */
export const readListedFiles = prepared<{ userId: string; ids: string[] }, StoredFile>(
  'read_listed_files',
  (db, value) =>
    db
      .selectFrom('media')
      .select((eb) => [
        'id',
        eb.ref('kind').$castTo<MediaKind>().as('kind'),
        ...(['mimeType', 'bytes', 'width', 'height', 'durationSeconds', 'altText', 'fileName', 'storageKey'] as const),
      ])
      .where('userId', '=', value('userId'))
      .where('id', '=', sql<string>`any(${value('ids')}::uuid[])`)
      .where('kind', 'is not', null),
)

/** The alternative texts that posts have in place of those of their files, by the ids of the files. */
export const readAltTexts = prepared<PostsOfPage, { id: string; altTexts: Record<string, string> }>(
  'read_alt_texts',
  (_db, value) => sql`
    select id, alt_texts from posts
    where user_id = ${value('userId')}::uuid and id = any(${value('ids')}::uuid[]) and alt_texts is not null`,
)
