import type { Kysely } from 'kysely'

/**
 * An index on the ids alone leads Postgres astray: for a user with most of the posts it reads that one backwards, instead of
 * the primary key, and passes by all that others have posted since. Only an operator's command names a post by its id alone,
 * and can wait for a scan.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('posts_id').execute()
}
