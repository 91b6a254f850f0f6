import { type RawBuilder, sql } from 'kysely'
import type { DeliveryState } from '../../schemas/delivery.ts'
import {
  type Focus,
  type ListedMedia,
  type Media,
  type MediaDetail,
  type MediaFacts,
  type MediaKind,
  type MediaTracks,
  POST_IDS_MAX,
  RENDITIONS_SHOWN_MAX,
  type Rendition,
} from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'
import type { Page } from './page.ts'
import { isFileOf, isUnsentFile, renditionOf, sentFileOf } from './posts/files.ts'
import { renditionProblem } from './rendition-problem.ts'

export interface NewMedia extends Omit<MediaFacts, 'fps' | 'frames' | 'tracks'> {
  userId: string
  bytes: number
}

/**
 * Registers the facts of a file without its bytes. A type that is neither image nor video has no kind: no network
 * accepts such media, and the API does not show them. Throws a foreign key violation (23503) if the user does not
 * exist.
 */
export function insertMedia(db: Db, media: NewMedia) {
  return db
    .insertInto('media')
    .values({ ...media, kind: kindOf(media.mimeType) })
    .execute()
}

function kindOf(mimeType: string): MediaKind | null {
  if (mimeType === 'image/gif') return 'gif'
  if (mimeType.startsWith('image/')) return 'image'
  return mimeType.startsWith('video/') ? 'video' : null
}

/** The columns of a file that the API shows. */
export const shownMedia = [
  'id',
  sql<MediaKind>`kind`.as('kind'),
  'mimeType',
  'bytes',
  'width',
  'height',
  'durationSeconds',
  'fps',
  sql<MediaTracks | null>`tracks`.as('tracks'),
  'pages',
  'altText',
  sql<Focus | null>`focus`.as('focus'),
  'fileName',
  'externalReference',
  sql<Record<string, string> | null>`metadata`.as('metadata'),
  isoTime('createdAt').as('createdAt'),
] as const

/** The renditions of a file for networks, oldest first. Previews are left out. */
const renditions = sql<Rendition[]>`(
  select coalesce(json_agg(json_build_object('state', state, 'progress', progress, 'mimeType', mime_type,
      'bytes', bytes, 'width', width, 'height', height, 'problem', problem) order by created_at), '[]')
  from (
    select case when storage_key is null then 'failed' else 'made' end as state,
      case when storage_key is null then 0 else 1 end as progress,
      coalesce(mime_type, case when target like 'video%' then 'video/mp4' else 'image/jpeg' end) as mime_type,
      case when storage_key is not null then bytes end as bytes, width, height, created_at,
      ${renditionProblem} as problem
    from renditions
    where renditions.user_id = media.user_id and renditions.media_id = media.id and target not like 'preview-%'
    union all
    select case when lease_token is not null and claimable_at > now() then 'running' else 'waiting' end, progress,
      'video/mp4', null, (spec ->> 'width')::integer, (spec ->> 'height')::integer, job.created_at, null
    from rendition_jobs as job
    where job.user_id = media.user_id and job.media_id = media.id and not spec ? 'frameWidth'
    order by created_at
    limit ${sql.lit(RENDITIONS_SHOWN_MAX)}) as shown)`.as('renditions')

/** The user's files that the API shows. */
const mediaOf = (db: Db, userId: string) =>
  db.selectFrom('media').select(shownMedia).where('userId', '=', userId).where('kind', 'is not', null)

/**
 * The ids of posts that use the file, and whose row `used` of `post_media` has `condition`. Unordered, so that Postgres
 * stops after these, however many there are.
 */
export const postIds = (max: number, condition: RawBuilder<boolean> = sql`true`) =>
  sql<string[]>`(
    select coalesce(json_agg(distinct post_id), '[]') from (
      select post_id from post_media as used
      where used.user_id = media.user_id and used.media_id = media.id and ${condition}
      limit ${sql.lit(max)}) as used)`.as('postIds')

/**
 * Whether the name, the alternative text and the reference of a row of `media` have all these words, as foldText writes
 * them. Files of an earlier version have no text for searches yet.
 */
export const hasWords = (words: unknown) => sql<boolean>`not exists (
  select from unnest(${words}::text[]) as word
  where strpos(
    coalesce(
      media.search_text,
      lower(concat_ws(' ', media.file_name, media.alt_text, media.external_reference))),
    word) = 0)`

/** A page of the user's files older than `cursor`, newest first. */
export const listMedia = prepared<Page, ListedMedia>('list_media', (db, value) =>
  mediaOf(db, value('userId'))
    .select(postIds(POST_IDS_MAX.listed))
    .where('id', '<', value('cursor'))
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

interface SearchedPage {
  userId: string
  cursor: string
  limit: number
  words: readonly string[]
}

/** The files that a search looks at in a request. More would take longer than a page may. */
const LOOKS_MAX = 10_000

const findNamed = prepared<SearchedPage, { ids: string[]; lastId: string | null; hasMore: boolean }>(
  'find_named_media',
  (_db, value) => sql`
    with seen as materialized (
      select id, ${hasWords(value('words'))} as is_named from media
      where user_id = ${value('userId')} and id < ${value('cursor')}::uuid and kind is not null
      order by id desc
      limit ${sql.lit(LOOKS_MAX)}
    )
    select array(select id from seen where is_named order by id desc limit ${value('limit')}::integer) as ids,
      (select id from seen order by id limit 1) as last_id,
      (select count(*) from seen) = ${sql.lit(LOOKS_MAX)} as has_more`,
)

const readNamed = prepared<{ userId: string; ids: string[] }, ListedMedia>('read_named_media', (db, value) =>
  mediaOf(db, value('userId'))
    .select(postIds(POST_IDS_MAX.listed))
    .where('id', '=', sql<string>`any(${value('ids')}::uuid[])`)
    .orderBy('id', 'desc'),
)

/** A page of the user's files that have all these words, and the id at which it ended; null at the end of the list. */
export async function searchMedia(db: Db, page: SearchedPage): Promise<{ data: ListedMedia[]; lastId: string | null }> {
  const [found] = await findNamed(db, page)
  const { ids, lastId, hasMore } = found!
  const data = ids.length > 0 ? await readNamed(db, { userId: page.userId, ids }) : []
  if (ids.length === page.limit) return { data, lastId: ids.at(-1)! }
  return { data, lastId: hasMore ? lastId : null }
}

export const findMedia = prepared<{ userId: string; id: string }, MediaDetail>('find_media', (db, value) =>
  mediaOf(db, value('userId'))
    .select([postIds(POST_IDS_MAX.detail), renditions])
    .where('id', '=', value('id')),
)

/** The user's file with these bytes, which counts as used: a sweep of unused files leaves it alone for now. */
export const reuseMediaBySha256 = prepared<{ userId: string; sha256: Buffer }, Media>(
  'reuse_media_by_sha256',
  (db, value) =>
    db
      .updateTable('media')
      .set({ lastUsedAt: sql<Date>`now()` })
      .where('userId', '=', value('userId'))
      .where('sha256', '=', value('sha256'))
      .where('kind', 'is not', null)
      .returning(shownMedia),
)

/**
 * Notes at the files of `posts` (user_id, id), which the same statement deletes, that they were used until now. Locks
 * the files in the order of their keys.
 */
export const noteLastUse = (posts: RawBuilder<unknown>) => sql<Record<never, never>>`(
  update media set last_used_at = now()
  from (
    select media.user_id, media.id from media
    where (media.user_id, media.id) in (
      select post_media.user_id, post_media.media_id
      from ${posts} as deleted
      join post_media on post_media.user_id = deleted.user_id and post_media.post_id = deleted.id)
    order by media.user_id, media.id
    for no key update) as used
  where media.user_id = used.user_id and media.id = used.id)`

/** Locks the deliveries of the posts that use the file, so that their states last until the transaction ends. */
export const lockDeliveriesOfMedia = prepared<{ userId: string; id: string }, { postId: string }>(
  'lock_deliveries_of_media',
  (db, value) =>
    db
      .selectFrom('postTargets')
      .innerJoin('postMedia', (join) =>
        join.onRef('postMedia.userId', '=', 'postTargets.userId').onRef('postMedia.postId', '=', 'postTargets.postId'),
      )
      .select('postTargets.postId')
      .where('postMedia.userId', '=', value('userId'))
      .where('postMedia.mediaId', '=', value('id'))
      .orderBy('postTargets.postId')
      .orderBy('postTargets.accountId')
      .forUpdate('postTargets'),
)

/**
 * Deletes the user's file unless a draft, a scheduled post or an unfinished delivery uses it. Published posts lose the
 * file. Their deliveries that have published it keep its facts. Failed ones that would still need it get the error in
 * `error` (JSON) and can no longer be retried. The bytes of the file become staged and marked for deletion. Returns no
 * row if the user has no such file.
 *
 * Call it in a transaction that holds `lockDeliveriesOfMedia`. A post that is created concurrently makes it fail with a
 * foreign key violation (23503): the file is in use then.
 */
export const deleteUnusedMedia = prepared<
  { userId: string; id: string; from: DeliveryState[]; to: DeliveryState; error: string },
  { storageKey: string | null; used: boolean }
>(
  'delete_unused_media',
  (_db, value) => sql`
    with found as (
      select user_id, id, storage_key from media
      where user_id = ${value('userId')} and id = ${value('id')} and (kind is not null or exists (
        select from uploads where uploads.user_id = media.user_id and uploads.media_id = media.id))
      for update
    ),
    -- A delivery that has published the part with the file does not need it any more.
    in_use as (
      select posts.id
      from post_media join posts on posts.user_id = post_media.user_id and posts.id = post_media.post_id
      where post_media.user_id = ${value('userId')} and post_media.media_id = ${value('id')}
        and (posts.status <> 'published' or exists (
          select from post_targets
          where post_targets.user_id = posts.user_id and post_targets.post_id = posts.id
            and (state in ('queued', 'publishing', 'unconfirmed') or intent is not null) and ${isUnsentFile} and ${isFileOf('post_targets')}))
      limit 1
    ),
    -- A file may be published in one part of a thread and missing in another.
    lost as (
      select post_targets.user_id, post_targets.post_id, post_targets.account_id,
        bool_or(${isUnsentFile}) and post_targets.state = any(${value('from')}::text[]) as is_needed,
        coalesce(jsonb_agg(${sentFileOf('post_targets')}::jsonb || jsonb_build_object('position', post_media.position)
          order by post_media.position) filter (where not ${isUnsentFile}), '[]') as published
      from post_media
      join media on media.user_id = post_media.user_id and media.id = post_media.media_id
      join posts on posts.user_id = post_media.user_id and posts.id = post_media.post_id
      join post_targets on post_targets.user_id = post_media.user_id and post_targets.post_id = post_media.post_id
      left join ${renditionOf('post_targets')}
      where post_media.user_id = ${value('userId')} and post_media.media_id = ${value('id')}
        and ${isFileOf('post_targets')} and not exists (select from in_use)
      group by post_targets.user_id, post_targets.post_id, post_targets.account_id, post_targets.state
    ),
    noted as (
      update post_targets as delivery
      set state = case when lost.is_needed then ${value('to')} else delivery.state end,
        error = case when lost.is_needed then ${value('error')}::jsonb else delivery.error end,
        deleted_files = nullif(coalesce(delivery.deleted_files, '[]') || lost.published, '[]')
      from lost
      where delivery.user_id = lost.user_id and delivery.post_id = lost.post_id
        and delivery.account_id = lost.account_id and (lost.is_needed or lost.published <> '[]')
    ),
    detached as (
      delete from post_media using found
      where post_media.user_id = found.user_id and post_media.media_id = found.id and not exists (select from in_use)
    ),
    deleted as (
      delete from media using found
      where media.user_id = found.user_id and media.id = found.id and not exists (select from in_use)
      returning media.user_id, media.storage_key
    ),
    staged as (
      insert into loose_files (user_id, storage_key, renewed_at)
      select user_id, storage_key, null from deleted where storage_key is not null
    )
    select storage_key, exists (select from in_use) as used from found`,
)
