import { type Kysely, sql } from 'kysely'

/**
 * Adds the facts of a stored file. Media from before this migration, and media registered by command, have no `storage_key`
 * and no `sha256`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('media')
    // Null for a registered type that is neither image nor video. No network accepts it.
    .addColumn('kind', 'text', (c) => c.check(sql`kind in ('image', 'gif', 'video')`))
    .addColumn('fps', 'double precision')
    .addColumn('frames', 'integer')
    .addColumn('video_codec', 'text')
    .addColumn('audio_codec', 'text')
    .addColumn('alt_text', 'text')
    .addColumn('sha256', 'bytea')
    .addColumn('storage_key', 'text')
    .execute()
  await sql`
    update media set kind = case
      when mime_type = 'image/gif' then 'gif' when mime_type like 'image/%' then 'image' when mime_type like 'video/%' then 'video'
    end`.execute(db)
  await db.schema.createIndex('media_sha256').on('media').columns(['user_id', 'sha256']).unique().execute()

  // Files without a row in media: they are being added or deleted. The row is written before the first byte, so that every
  // stored file has a row here or in media. Its foreign key prevents the deletion of a user who still has such files.
  await db.schema
    .createTable('loose_files')
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id'))
    .addColumn('storage_key', 'text', (c) => c.notNull())
    // Renewed by the process that writes the file. Null if the file is to be deleted.
    .addColumn('renewed_at', 'timestamptz', (c) => c.defaultTo(sql`now()`))
    // A storage that did not respond may still carry out an earlier write, so the file is deleted again for a while.
    .addColumn('removed_at', 'timestamptz')
    .addPrimaryKeyConstraint('loose_files_pkey', ['user_id', 'storage_key'])
    .execute()
}
