import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * Lets statements write the events of what they store: each adds to `event_count`. Triggers write the events of
 * statements that do not, which are those of earlier versions.
 */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('post_targets')
      .addColumn('event_count', 'integer', (column) => column.notNull().defaultTo(0))
      .execute(),
  async (db) => {
    await db.schema
      .alterTable('accounts')
      .addColumn('event_count', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await sql`
      create or replace trigger accounts_write_settings after update on accounts for each row
      when (new.disconnected_at is null and new.event_count = old.event_count
        and (old.own_display_name, old.default_fields) is distinct from (new.own_display_name, new.default_fields))
      execute function write_account_event('account.updated')`.execute(db)
  },
  async (db) => {
    await db.schema
      .alterTable('api_keys')
      .addColumn('event_count', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await sql`
      create or replace trigger api_keys_write_created after insert on api_keys for each row
      when (new.event_count = 0)
      execute function write_key_event()`.execute(db)
    await sql`
      create or replace trigger api_keys_write_revoked after update on api_keys for each row
      when (old.revoked_at is null and new.revoked_at is not null and new.event_count = old.event_count)
      execute function write_key_event()`.execute(db)
  },
]
