import { sql } from 'kysely'
import type { Focus, Media, MediaFacts, MediaKind } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { isoTime } from './iso-time.ts'
import { shownMedia } from './media.ts'
import { lockStaged, type StagedFile } from './staged-files.ts'

/*
 * An upload is a file that a client sends to an address. Its row in `media` is there from the beginning, so that
 * drafts can refer to it. Until all bytes are there, the row has no kind, the API does not list it, and each part of
 * the file is stored under a key of its own.
 */

/** The type that a file has until its bytes are known. */
const UNKNOWN_TYPE = 'application/octet-stream'

export interface FileKey {
  userId: string
  id: string
}

interface NewUpload extends FileKey {
  keyId: string
  /** The time of the address in seconds. It ends earlier with the key. */
  validSeconds: number
  bytes: number | null
  sha256: Buffer | null
  altText: string | null
  focus: Focus | null
  fileName: string | null
  externalReference: string | null
  metadata: Record<string, string> | null
  searchText: string
}

export const insertUpload = prepared<NewUpload, { expiresAt: Date }>(
  'insert_upload',
  (_db, value) => sql`
    with file as (
      insert into media (user_id, id, mime_type, bytes, alt_text, focus, file_name, external_reference, metadata,
        search_text)
      values (${value('userId')}, ${value('id')}, ${sql.lit(UNKNOWN_TYPE)}, coalesce(${value('bytes')}::bigint, 0),
        ${value('altText')}, ${value('focus')}::jsonb, ${value('fileName')}, ${value('externalReference')},
        ${value('metadata')}::jsonb, ${value('searchText')})
      returning user_id, id
    )
    insert into uploads (user_id, media_id, key_id, expires_at, bytes, sha256)
    select file.user_id, file.id, api_keys.id,
      -- Addresses have whole seconds.
      date_trunc('second', least(now() + make_interval(secs => ${value('validSeconds')}), api_keys.expires_at)),
      ${value('bytes')}::bigint, ${value('sha256')}::bytea
    from file join api_keys on api_keys.id = ${value('keyId')}
    returning expires_at`,
)

/** The uploads of the user whose addresses take bytes: those that failed too. */
export async function countPendingUploads(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count
    from uploads join media on media.user_id = uploads.user_id and media.id = uploads.media_id
    where uploads.user_id = ${userId} and media.kind is null and expires_at > now()`.execute(db)
  return rows[0]!.count
}

export interface FoundUpload {
  isReady: boolean
  isExpired: boolean
  /** Why the file was rejected. */
  error: { code: string; message: string } | null
  /** Those of the complete file; null if they are not known yet. */
  bytes: number | null
  sha256: Buffer | null
  receivedBytes: number
  /** Null for a file that was added in another way, or long ago. */
  expiresAt: string | null
  /** Whether the key that has asked for the address is revoked. */
  isRevoked: boolean
  /** Another file of the user with the same bytes. */
  duplicateOf: string | null
}

const receivedBytes = sql<number>`coalesce((
  select sum(upload_parts.bytes) from upload_parts
  where upload_parts.user_id = uploads.user_id and upload_parts.media_id = uploads.media_id), 0)::bigint`

/** An upload, or a file of the user that is complete. */
export const findUpload = prepared<FileKey, FoundUpload>(
  'find_upload',
  (_db, value) => sql`
    select media.kind is not null as is_ready, coalesce(uploads.expires_at <= now(), false) as is_expired, uploads.error,
      case when media.kind is null then uploads.bytes else media.bytes end as bytes, uploads.sha256,
      case when media.kind is null then ${receivedBytes} else media.bytes end as received_bytes,
      ${isoTime(sql`uploads.expires_at`)} as expires_at, coalesce(api_keys.revoked_at <= now(), false) as is_revoked,
      case when media.kind is not null and media.sha256 is null then (
        select same.id from media as same
        where same.user_id = uploads.user_id and same.sha256 = uploads.sha256) end as duplicate_of
    from media
    left join uploads on uploads.user_id = media.user_id and uploads.media_id = media.id
    left join api_keys on api_keys.id = uploads.key_id
    where media.user_id = ${value('userId')} and media.id = ${value('id')}
      and (media.kind is not null or uploads.media_id is not null)`,
)

interface Writer extends FileKey {
  writer: string
}

/** Locks an upload until the transaction ends. Returns whether its writer completes the file. */
export const lockUpload = prepared<FileKey, { isBusy: boolean }>(
  'lock_upload',
  (_db, value) => sql`
    select coalesce(leased_until > now(), false) as is_busy from uploads
    where user_id = ${value('userId')} and media_id = ${value('id')}
    for update`,
)

/**
 * Makes a request the writer of a locked upload, in place of an earlier one, whose connection may be lost. What was
 * wrong with the file before is forgotten.
 */
export const setWriter = prepared<Writer, never>('set_writer', (db, value) =>
  db
    .updateTable('uploads')
    .set({ writer: value('writer'), leasedUntil: null, error: null })
    .where('userId', '=', value('userId'))
    .where('mediaId', '=', value('id'))
    .$castTo<never>(),
)

interface Part {
  firstByte: number
  bytes: number
}

/**
 * Turns a staged file into a part of an upload. Leaves it staged and returns no row if the request is no longer the
 * writer.
 */
export const addPart = prepared<Writer & StagedFile & Part, { storageKey: string }>(
  'add_part',
  (_db, value) => sql`
    with staged as ${lockStaged(value)},
    upload as (
      select user_id, media_id from uploads
      where user_id = ${value('userId')} and media_id = ${value('id')} and writer = ${value('writer')}
      for update
    ),
    part as (
      insert into upload_parts (user_id, media_id, first_byte, bytes, storage_key)
      select upload.user_id, upload.media_id, ${value('firstByte')}::bigint, ${value('bytes')}::bigint,
        staged.storage_key
      from upload, staged
      returning user_id, storage_key
    ),
    unstaged as (
      delete from loose_files using part
      where loose_files.user_id = part.user_id and loose_files.storage_key = part.storage_key
    )
    select storage_key from part`,
)

/** The parts of an upload in order. */
export const listParts = prepared<FileKey, Part & { storageKey: string }>('list_parts', (db, value) =>
  db
    .selectFrom('uploadParts')
    .select(['firstByte', 'bytes', 'storageKey'])
    .where('userId', '=', value('userId'))
    .where('mediaId', '=', value('id'))
    .orderBy('firstByte'),
)

/** Deletes the parts of an upload. Their bytes become staged and marked for deletion. */
export const deleteParts = prepared<FileKey, { storageKey: string }>('delete_parts', (db, value) =>
  db
    .deleteFrom('uploadParts')
    .where('userId', '=', value('userId'))
    .where('mediaId', '=', value('id'))
    .returning('storageKey'),
)

/** Renews the lease of a writer that completes the file. Returns no row if it is no longer the writer. */
export const leaseUpload = prepared<Writer & { seconds: number }, { mediaId: string }>('lease_upload', (db, value) =>
  db
    .updateTable('uploads')
    .set({ leasedUntil: sql<Date>`now() + make_interval(secs => ${value('seconds')})` })
    .where('userId', '=', value('userId'))
    .where('mediaId', '=', value('id'))
    .where('writer', '=', value('writer'))
    .returning('mediaId'),
)

/**
 * Ends the work of a writer. `error` is why the file was rejected, as JSON: its parts are of no use then, and are
 * deleted as by `deleteParts`.
 */
export const endWriting = prepared<Writer & { error: string | null }, { storageKey: string }>(
  'end_writing',
  (_db, value) => sql`
    with ended as (
      update uploads set writer = null, leased_until = null, error = ${value('error')}::jsonb
      where user_id = ${value('userId')} and media_id = ${value('id')} and writer = ${value('writer')}
      returning user_id, media_id, error
    )
    delete from upload_parts using ended
    where upload_parts.user_id = ended.user_id and upload_parts.media_id = ended.media_id and ended.error is not null
    returning storage_key`,
)

export interface CompletedFile extends MediaFacts, StagedFile, Writer {
  bytes: number
  pages: number | null
  kind: MediaKind
  sha256: Buffer
  /** JSON: what removes the metadata of the file when it is published. */
  edits: string
}

/**
 * Gives a staged file to the upload of a writer, which ends it. If the user has the same bytes, the file is a copy
 * without a checksum in `media`, where a checksum finds one file of a user. Returns no row if the request is no longer
 * the writer, or if the file is marked for deletion. Throws a unique violation (23505) if the same bytes are added at
 * the same time.
 */
export const completeUpload = prepared<CompletedFile, Media>(
  'complete_upload',
  (_db, value) => sql`
    with staged as ${lockStaged(value)},
    upload as (
      update uploads set writer = null, leased_until = null, sha256 = ${value('sha256')}::bytea
      where user_id = ${value('userId')} and media_id = ${value('id')} and writer = ${value('writer')}
        and exists (select from staged)
      returning user_id, media_id
    ),
    completed as (
      update media set storage_key = staged.storage_key, kind = ${value('kind')}::text,
        mime_type = ${value('mimeType')}::text, bytes = ${value('bytes')}::bigint, width = ${value('width')}::integer,
        height = ${value('height')}::integer, duration_seconds = ${value('durationSeconds')}::double precision,
        fps = ${value('fps')}::double precision, frames = ${value('frames')}::integer,
        tracks = ${value('tracks')}::jsonb, pages = ${value('pages')}::integer, edits = ${value('edits')}::jsonb,
        sha256 = case when not exists (
          select from media as same
          where same.user_id = ${value('userId')} and same.sha256 = ${value('sha256')}::bytea)
          then ${value('sha256')}::bytea end
      from staged, upload
      where media.user_id = upload.user_id and media.id = upload.media_id and media.kind is null
      returning media.*
    ),
    unstaged as (
      delete from loose_files using completed
      where loose_files.user_id = completed.user_id and loose_files.storage_key = completed.storage_key
    ),
    parts as (
      delete from upload_parts using upload
      where upload_parts.user_id = upload.user_id and upload_parts.media_id = upload.media_id
    )
    select ${sql.join(shownMedia.map((column) => (typeof column === 'string' ? sql.ref(column) : column)))}
    from completed`,
)

interface Over {
  /** A request that began in time may go on for as long. */
  graceSeconds: number
  limit: number
}

/** Deletes parts of uploads whose address has expired. Returns how many. */
export async function deleteExpiredParts(db: Db, { graceSeconds, limit }: Over): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from upload_parts where (user_id, media_id, first_byte) in (
      select upload_parts.user_id, upload_parts.media_id, first_byte
      from uploads join upload_parts
        on upload_parts.user_id = uploads.user_id and upload_parts.media_id = uploads.media_id
      where expires_at < now() - make_interval(secs => ${graceSeconds})
        and (leased_until is null or leased_until < now())
      limit ${limit})`.execute(db)
  return Number(numAffectedRows)
}

/**
 * Deletes uploads whose address expired long ago. Files that never became complete go with them, unless a post refers
 * to them. Returns how many.
 */
export async function deleteOldUploads(
  db: Db,
  { keptSeconds, limit }: { keptSeconds: number; limit: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select uploads.user_id, uploads.media_id, media.kind is not null as is_ready
      from uploads join media on media.user_id = uploads.user_id and media.id = uploads.media_id
      where expires_at < now() - make_interval(secs => ${keptSeconds})
        and (media.kind is not null or not exists (
          select from post_media where post_media.user_id = media.user_id and post_media.media_id = media.id))
      limit ${limit}
    ),
    files as (
      delete from media using old
      where media.user_id = old.user_id and media.id = old.media_id and not is_ready
      returning media.id
    ),
    forgotten as (
      delete from uploads using old
      where uploads.user_id = old.user_id and uploads.media_id = old.media_id and is_ready
      returning uploads.media_id
    )
    select (select count(*) from files) + (select count(*) from forgotten) as count`.execute(db)
  return rows[0]!.count
}
