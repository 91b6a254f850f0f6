import { sql } from 'kysely'
import type { Step } from '../migration.ts'

export const steps: Step[] = [
  async (db) => {
    await db.schema
      .alterTable('accounts')
      .addColumn('own_display_name', 'text')
      .addColumn('default_fields', 'jsonb')
      .execute()
    await sql`
      create trigger accounts_write_settings after update on accounts for each row
      when (new.disconnected_at is null
        and (old.own_display_name, old.default_fields) is distinct from (new.own_display_name, new.default_fields))
      execute function write_account_event('account.updated')`.execute(db)
  },
]
