import { sql } from 'kysely'
import type { Db } from '../client.ts'
import { prepared } from '../prepared.ts'

/** The storage key of the user's file. The key is null if only the file's facts were registered. */
export const findStoredFile = prepared<{ userId: string; id: string }, { storageKey: string | null; mimeType: string }>(
  'find_stored_file',
  (db, value) =>
    db
      .selectFrom('media')
      .select(['storageKey', 'mimeType'])
      .where('userId', '=', value('userId'))
      .where('id', '=', value('id'))
      .where('kind', 'is not', null),
)

/**
 * The edits that remove the metadata of a stored file when it is published; null if they are not known yet. A rendition
 * has no metadata.
 */
export const findEdits = prepared<{ storageKey: string }, { userId: string; mimeType: string; edits: string | null }>(
  'find_edits',
  (_db, value) => sql`
    select user_id, mime_type, edits from media where storage_key = ${value('storageKey')}
    union all
    select user_id, mime_type, '""'::jsonb from renditions where storage_key = ${value('storageKey')}`,
)

export const saveEdits = prepared<{ storageKey: string; edits: string }, never>('save_edits', (db, value) =>
  db
    .updateTable('media')
    .set({ edits: sql`${value('edits')}::jsonb` })
    .where('storageKey', '=', value('storageKey'))
    .$castTo<never>(),
)

/** The bytes of all files of a user that are stored, of their renditions, and of the parts of uploads. */
export async function sumMediaBytes(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(bytes), 0)::bigint as bytes
    from (
      select bytes from media where user_id = ${userId} and storage_key is not null
      union all
      select bytes from renditions where user_id = ${userId} and storage_key is not null
      union all
      select bytes from upload_parts where user_id = ${userId}) as stored`.execute(db)
  return rows[0]!.bytes
}

export interface StoredMedia {
  id: string
  userId: string
  storageKey: string
  bytes: number
  sha256: Buffer | null
}

/** The files whose bytes are stored, in the order of their keys, after one of them. */
export const listStoredMedia = (
  db: Db,
  { after, count }: { after: Pick<StoredMedia, 'userId' | 'id'> | undefined; count: number },
): Promise<StoredMedia[]> =>
  db
    .selectFrom('media')
    .select(['id', 'userId', sql<string>`storage_key`.as('storageKey'), 'bytes', 'sha256'])
    .where('storageKey', 'is not', null)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(user_id, id) > (${after?.userId}::uuid, ${after?.id}::uuid)`),
    )
    .orderBy('userId')
    .orderBy('id')
    .limit(count)
    .execute()
