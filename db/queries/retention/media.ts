import { sql } from 'kysely'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { type OldRange, rowsInRange } from './range.ts'

interface MediaKey {
  userId: string
  id: string
}

const isUnused = sql`not exists (
  select from post_media where post_media.user_id = media.user_id and post_media.media_id = media.id)`

/**
 * The next files of these users, in the order of their keys, after `after` of the first user and added before
 * `beforeId`. `isUnused` tells which no post uses, or has used since `before`.
 */
export async function findOldMedia(db: Db, values: OldRange): Promise<(MediaKey & { isUnused: boolean })[]> {
  const { rows } = await sql<MediaKey & { isUnused: boolean }>`
    select media.user_id, media.id,
      greatest(media.created_at, media.last_used_at) < ${values.before}::timestamptz and ${isUnused} as is_unused
    from ${rowsInRange('media', ['created_at', 'last_used_at'], values)} as media
    order by media.user_id, media.id`.execute(db)
  return rows
}

const deleteAll = prepared<{ userIds: string[]; ids: string[]; before: Date }, { id: string }>(
  'delete_old_media',
  (_db, value) => sql`
    with unused as (
      select media.user_id, media.id
      from unnest(${value('userIds')}::uuid[], ${value('ids')}::uuid[]) as item(user_id, id)
      join media on media.user_id = item.user_id and media.id = item.id
      where greatest(media.created_at, media.last_used_at) < ${value('before')}::timestamptz and ${isUnused}
      order by media.user_id, media.id
      for update of media skip locked
    ),
    deleted as (
      delete from media using unused
      where media.user_id = unused.user_id and media.id = unused.id
      returning media.user_id, media.id, media.storage_key
    ),
    staged as (
      insert into loose_files (user_id, storage_key, renewed_at)
      select user_id, storage_key, null from deleted where storage_key is not null
    )
    select id from deleted`,
)

/**
 * Deletes those of these files that are unused since `before`, and marks their bytes for deletion. Returns how many. A
 * post that is created concurrently with one of them makes it fail with a foreign key violation (23503).
 */
export async function deleteOldMedia(db: Db, media: MediaKey[], before: Date): Promise<number> {
  return (await deleteAll(db, { userIds: each(media, 'userId'), ids: each(media, 'id'), before })).length
}
