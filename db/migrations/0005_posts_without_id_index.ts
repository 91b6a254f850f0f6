import type { Kysely } from 'kysely'

/**
 * Drops the index on ids alone, which misleads the planner. For a user with most of the posts, Postgres reads it backwards
 * instead of the primary key, and skips every newer post of other users. Only an operator's command needs the index, and it
 * can wait for a scan.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('posts_id').execute()
}
