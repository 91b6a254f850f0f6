import { sql } from 'kysely'
import type { Db } from '../../client.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'

/** Files in order. An id may occur twice. Both null or absent: those of the post. */
export interface FilesOfDelivery {
  mediaIds?: readonly string[] | null
  /** Those of each part of a thread, in place of `mediaIds`. */
  threadMedia?: readonly (readonly string[])[] | null
}

interface FilesOfPost {
  /** In order. An id may occur twice. */
  mediaIds: readonly string[]
  targets: readonly (FilesOfDelivery & { accountId: string })[]
}

/** The files of a delivery alone. Those of `mediaIds` have no part: they belong to the first. */
const ownRows = ({ mediaIds, threadMedia }: FilesOfDelivery) =>
  threadMedia?.flatMap((ids, index) => ids.map((id) => ({ media_id: id, part: index + 1 }))) ??
  (mediaIds ?? []).map((id) => ({ media_id: id }))

const rowsOf = (accountId: string | null, files: FilesOfDelivery) =>
  ownRows(files).map((row) => ({ account_id: accountId, ...row }))

/** The rows of a post in `post_media`: its own files, then those of its accounts. */
export const fileRows = ({ mediaIds, targets }: FilesOfPost) =>
  [...rowsOf(null, { mediaIds }), ...targets.flatMap((target) => rowsOf(target.accountId, target))].map(
    (row, index) => ({ position: index + 1, ...row }),
  )

/** Whether a row of `post_media` is a file of an act that the delivery has not published. */
export const isUnsentFile = sql<boolean>`jsonb_array_length(post_targets.sent) < coalesce(post_media.part, 1)`

/** Whether a row of `post_media` is a file that a delivery publishes: of its account, or else of the post. */
export const isFileOf = (delivery: 'post_targets' | 'claimed') => {
  const ownMedia = sql.ref(`${delivery}.own_media`)
  const accountId = sql.ref(`${delivery}.account_id`)
  return sql<boolean>`post_media.account_id is not distinct from case when ${ownMedia} then ${accountId} end`
}

/**
 * The JSON of a `StoredFile`: the facts of what a delivery sends. The statement joins `media`, `post_media` and
 * `posts`, and left joins `renditionOf`.
 */
export const sentFileOf = (delivery: 'post_targets' | 'claimed') => sql`json_build_object(
  'id', media.id, 'kind', media.kind, 'mimeType', coalesce(renditions.mime_type, media.mime_type),
  'bytes', coalesce(renditions.bytes, media.bytes), 'width', coalesce(renditions.width, media.width),
  'height', coalesce(renditions.height, media.height), 'durationSeconds', media.duration_seconds,
  'part', coalesce(post_media.part, 1), 'rendition', ${sql.ref(`${delivery}.renditions`)} -> media.id::text,
  'altText', coalesce(posts.alt_texts ->> media.id::text, media.alt_text), 'focus', media.focus,
  'storageKey', case when ${sql.ref(`${delivery}.renditions`)} ? media.id::text then renditions.storage_key
    else media.storage_key end)`

/** The join with the rendition of a file that a delivery sends in its place. */
export const renditionOf = (delivery: 'post_targets' | 'claimed') => sql`renditions
  on renditions.user_id = media.user_id and renditions.media_id = media.id
    and renditions.target = ${sql.ref(`${delivery}.renditions`)} -> media.id::text ->> 'target'`

/** Replaces the files that a post has for one account alone. The others keep their positions. */
export async function replaceFilesOfAccount(
  db: Db,
  { userId, postId, accountId }: DeliveryKey,
  files: FilesOfDelivery,
): Promise<void> {
  const ofPost = sql`user_id = ${userId} and post_id = ${postId}`
  await sql`delete from post_media where ${ofPost} and account_id = ${accountId}`.execute(db)
  await sql`
    insert into post_media (user_id, post_id, position, media_id, account_id, part)
    select ${userId}, ${postId}, coalesce((select max(position) from post_media where ${ofPost}), 0) + file.position,
      file.media_id, ${accountId}, file.part
    from rows from (jsonb_to_recordset(${JSON.stringify(ownRows(files))}::jsonb) as (media_id uuid, part integer))
      with ordinality as file(media_id, part, position)`.execute(db)
}
