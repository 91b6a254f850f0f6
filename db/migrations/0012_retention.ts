import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * Vacuumed after 1 % of the rows are dead instead of 20 %: what a sweep deletes is then reused within days, and the next
 * sweep skips fewer dead index entries. https://www.postgresql.org/docs/current/routine-vacuuming.html#AUTOVACUUM
 */
const SWEPT = ['posts', 'post_targets', 'post_media', 'delivery_attempts', 'sandbox_calls', 'media']

/** What sweeps of old data need. */
export const steps: Step[] = [
  async (db) => {
    await db.schema
      .createTable('sweeps')
      .addColumn('name', 'text', (c) => c.primaryKey())
      // Of the worker that sweeps now.
      .addColumn('lease_token', 'uuid')
      .addColumn('leased_until', 'timestamptz')
      .addColumn('finished_at', 'timestamptz')
      // When the next sweep is due.
      .addColumn('next_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      .execute()
    await sql`insert into sweeps (name) values ('retention')`.execute(db)
  },
  // When a post that used the file was last deleted, or its bytes were uploaded again.
  (db) => db.schema.alterTable('media').addColumn('last_used_at', 'timestamptz').execute(),
  // A user may be deleted before the last bytes of their files are.
  (db) => db.schema.alterTable('loose_files').dropConstraint('loose_files_user_id_fkey').ifExists().execute(),
  ...SWEPT.map(
    (table): Step =>
      (db) =>
        sql`alter table ${sql.ref(table)} set (autovacuum_vacuum_scale_factor = 0.01)`.execute(db),
  ),
]
