import { sql } from 'kysely'
import type { Focus, Media, MediaFacts, MediaKind } from '../../schemas/media.ts'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'
import { shownMedia } from './media.ts'

/**
 * A file outside of `media`: still being written, or to be deleted. Its row in `loose_files` exists before its first
 * byte and until after its last one, so that every stored byte belongs to a row. `renewed_at` is the lease of the
 * process that writes the file, null after `markForDeletion`; `removed_at` is when its bytes were deleted.
 */
export interface StagedFile {
  userId: string
  storageKey: string
}

/** Call before writing the first byte. Throws a foreign key violation (23503) if the user does not exist. */
export const stageFile = prepared<StagedFile, never>('stage_file', (db, value) =>
  db
    .insertInto('looseFiles')
    .values({ userId: value('userId'), storageKey: value('storageKey') })
    .$castTo<never>(),
)

/** Renews the lease while the file is being written. Returns no row once the file is marked for deletion. */
export const renewLease = prepared<StagedFile, { storageKey: string }>('renew_lease', (db, value) =>
  db
    .updateTable('looseFiles')
    .set({ renewedAt: sql<Date>`now()` })
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey'))
    .where('renewedAt', 'is not', null)
    .returning('storageKey'),
)

export interface PromotedFile extends MediaFacts, StagedFile {
  bytes: number
  pages: number | null
  kind: MediaKind
  altText: string | null
  focus: Focus | null
  fileName: string | null
  externalReference: string | null
  metadata: Record<string, string> | null
  searchText: string
  sha256: Buffer
  /** JSON: what removes the metadata of the file when it is published. */
  edits: string
}

const shownColumns = sql.join(shownMedia.map((column) => (typeof column === 'string' ? sql.ref(column) : column)))

/** Locks a staged file, unless it is marked for deletion. */
export const lockStaged = (value: (name: keyof StagedFile) => unknown) => sql`(
  select user_id, storage_key from loose_files
  where user_id = ${value('userId')} and storage_key = ${value('storageKey')} and renewed_at is not null
  for update)`

/** Until the transaction ends, no other one that locks the user adds a file. Adding other rows of the user goes on. */
export const lockUser = prepared<{ userId: string }, { id: string }>('lock_user', (db, value) =>
  db.selectFrom('users').select('id').where('id', '=', value('userId')).forNoKeyUpdate(),
)

/**
 * Turns a staged file into one of the user's media, in one statement. Leaves the file staged and returns no row if it
 * is marked for deletion, or if the user already has the same bytes.
 */
export const promoteFile = prepared<PromotedFile, Media>(
  'promote_file',
  (_db, value) => sql`
    with staged as ${lockStaged(value)},
    promoted as (
      insert into media (
        user_id, storage_key, id, kind, mime_type, bytes, width, height, duration_seconds, fps, frames, tracks, pages,
        alt_text, focus, file_name, external_reference, metadata, search_text, sha256, edits)
      select
        user_id, storage_key, ${value('id')}::uuid, ${value('kind')}::text, ${value('mimeType')}::text,
        ${value('bytes')}::bigint, ${value('width')}::integer, ${value('height')}::integer,
        ${value('durationSeconds')}::double precision, ${value('fps')}::double precision, ${value('frames')}::integer,
        ${value('tracks')}::jsonb, ${value('pages')}::integer, ${value('altText')}::text, ${value('focus')}::jsonb,
        ${value('fileName')}::text, ${value('externalReference')}::text,
        ${value('metadata')}::jsonb, ${value('searchText')}::text, ${value('sha256')}::bytea,
        ${value('edits')}::jsonb
      from staged
      on conflict (user_id, sha256) do nothing
      returning *
    ),
    unstaged as (
      delete from loose_files using promoted
      where loose_files.user_id = promoted.user_id and loose_files.storage_key = promoted.storage_key
    )
    select ${shownColumns} from promoted`,
)

/**
 * Gives a staged file to the user's media `id`, whose own bytes under `lostKey` are lost. Their remains, if any, become
 * staged and marked for deletion. Returns no row if another request was first, or if the file is marked for deletion.
 */
export const replaceLostFile = prepared<StagedFile & { id: string; lostKey: string }, Media>(
  'replace_lost_file',
  (_db, value) => sql`
    with staged as ${lockStaged(value)},
    replaced as (
      update media set storage_key = staged.storage_key
      from staged
      where media.user_id = staged.user_id and media.id = ${value('id')} and media.storage_key = ${value('lostKey')}
      returning media.*
    ),
    unstaged as (
      delete from loose_files using replaced
      where loose_files.user_id = replaced.user_id and loose_files.storage_key = replaced.storage_key
    ),
    lost as (
      insert into loose_files (user_id, storage_key, renewed_at)
      select user_id, ${value('lostKey')}::text, null from replaced
    )
    select ${shownColumns} from replaced`,
)

/** Prevents that the file is promoted. Returns no row if it is not staged. */
export const markForDeletion = prepared<StagedFile, StagedFile>('mark_for_deletion', (db, value) =>
  db
    .updateTable('looseFiles')
    .set({ renewedAt: null })
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey'))
    .returning(['userId', 'storageKey']),
)

/** The id of the user's media that owns the bytes. Returns no row if the file was not promoted. */
export const findPromotedMedia = prepared<StagedFile, { id: string }>('find_promoted_media', (db, value) =>
  db
    .selectFrom('media')
    .select('id')
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey')),
)

/** Call after the last byte is deleted, and only if no more bytes can arrive. */
export const forgetFile = prepared<StagedFile, never>('forget_file', (db, value) =>
  db
    .deleteFrom('looseFiles')
    .where('userId', '=', value('userId'))
    .where('storageKey', '=', value('storageKey'))
    .$castTo<never>(),
)

/**
 * Marks every file for deletion whose lease is older than `leaseSeconds`. Returns those that were not marked before.
 */
export function markExpiredForDeletion(db: Db, leaseSeconds: number): Promise<StagedFile[]> {
  return db
    .updateTable('looseFiles')
    .set({ renewedAt: null })
    .where('renewedAt', '<', sql<Date>`now() - make_interval(secs => ${leaseSeconds})`)
    .returning(['userId', 'storageKey'])
    .execute()
}

/** The next files after `after` that are marked for deletion, in the order of their keys. */
export const listMarkedFiles = prepared<StagedFile & { limit: number }, StagedFile>('list_marked_files', (db, value) =>
  db
    .selectFrom('looseFiles')
    .select(['userId', 'storageKey'])
    .where('renewedAt', 'is', null)
    .where(sql<boolean>`(user_id, storage_key) > (${value('userId')}, ${value('storageKey')})`)
    .orderBy('userId')
    .orderBy('storageKey')
    .limit(value('limit')),
)

/** Records that the file's bytes were deleted. Returns false if that was recorded before. */
export async function markFileRemoved(db: Db, { userId, storageKey }: StagedFile): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('looseFiles')
    .set({ removedAt: sql<Date>`now()` })
    .where('userId', '=', userId)
    .where('storageKey', '=', storageKey)
    .where('removedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the rows of files whose bytes were deleted more than `seconds` ago. */
export async function forgetRemovedFiles(db: Db, seconds: number): Promise<void> {
  await db
    .deleteFrom('looseFiles')
    .where('removedAt', '<', sql<Date>`now() - make_interval(secs => ${seconds})`)
    .execute()
}

/** The files that are being written, and the last renewal of their leases. */
export function listLeases(db: Db) {
  return db
    .selectFrom('looseFiles')
    .select(['storageKey', sql<string>`renewed_at::text`.as('renewedAt')])
    .where('renewedAt', 'is not', null)
    .execute()
}

/** The keys in `storageKeys` that belong to staged files. */
export async function filterStaged(db: Db, storageKeys: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('looseFiles')
    .select('storageKey')
    .where('storageKey', '=', sql<string>`any(${storageKeys}::text[])`)
    .execute()
  return new Set(rows.map(({ storageKey }) => storageKey))
}
