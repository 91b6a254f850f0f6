import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/** Adds the limits of each account that its network, or its own server, states. */
export const steps: Step[] = [
  async (db) => {
    // An object that the account's network reads. Null: the limits of the network apply.
    await db.schema.alterTable('accounts').addColumn('facts', 'jsonb').execute()
    // When workers read them again. The default is stored without rewriting the table.
    await sql`alter table accounts add column facts_due_at timestamptz not null default '-infinity'`.execute(db)
  },
  concurrentIndex('accounts_facts_due', sql`accounts (platform, facts_due_at) where disconnected_at is null`),
]
