import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * Adds what removals and edits cost on networks that charge for them. Their sums are those of posts. Earlier versions
 * reserve nothing.
 */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('delivery_changes')
      // The key that requested the change. Null for the operator.
      .addColumn('key_id', 'uuid')
      .addColumn('intended_at', 'timestamptz')
      // The price of the call that may have been made.
      .addColumn('intent_micros', 'bigint')
      // The price of all calls whose outcome is settled.
      .addColumn('spent_micros', 'bigint')
      .execute(),
  (db) =>
    sql`
      create trigger delivery_changes_note_spending after update on delivery_changes
      referencing old table as previous new table as changed
      for each statement execute function note_spending()`.execute(db),
  (db) =>
    sql`
      create trigger delivery_changes_note_deleted_spending after delete on delivery_changes for each row
      when (old.intent_micros is not null)
      execute function note_spending()`.execute(db),
]
