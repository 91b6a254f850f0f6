import { type Kysely, sql } from 'kysely'

/**
 * What is known of a file whose bytes are there. Media of before, and those that are registered by hand, have no
 * `storage_key` and no `sha256`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('media')
    // Null where a type was registered that is neither image nor video: no network takes it.
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

  // Bytes that no row of media owns: on their way in, or on their way out. Written before the first byte is, so that
  // every byte that is ever stored is named by one row or the other; so a user who has some cannot be deleted.
  await db.schema
    .createTable('loose_files')
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id'))
    .addColumn('storage_key', 'text', (c) => c.notNull())
    // Kept fresh by whoever is writing the file; null when it is to be removed.
    .addColumn('renewed_at', 'timestamptz', (c) => c.defaultTo(sql`now()`))
    // A store that did not answer may still finish what it was told before: it is removed again, until that is over.
    .addColumn('removed_at', 'timestamptz')
    .addPrimaryKeyConstraint('loose_files_pkey', ['user_id', 'storage_key'])
    .execute()
}
