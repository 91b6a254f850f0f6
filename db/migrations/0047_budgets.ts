import { type Kysely, sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * Adds what is spent on networks that charge for posts, and budgets. Money is reserved and given back together with the
 * intent of an act. Earlier versions reserve nothing.
 */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('api_keys')
      .addColumn('budget_micros', 'bigint')
      // The key whose budget counts. Null for its own.
      .addColumn('budget_id', 'uuid')
      .execute(),
  (db) => db.schema.alterTable('accounts').addColumn('budget_micros', 'bigint').execute(),
  (db) =>
    db.schema
      .alterTable('post_targets')
      // The key that created, scheduled or retried the delivery last. Null for the operator.
      .addColumn('key_id', 'uuid')
      // The price of the act whose call may have been made.
      .addColumn('intent_micros', 'bigint')
      .addColumn('spent_micros', 'bigint')
      .execute(),
  createSums,
  // Empty: the files of their names replace them.
  async (db) => {
    for (const name of ['settle_spending', 'note_spending', 'note_scheduling_key']) {
      await sql`
        create function ${sql.ref(name)}() returns trigger language plpgsql as $$ begin return new; end $$`.execute(db)
    }
    await sql`
      create function spending_month(at timestamptz) returns date language sql immutable as $$ select null::date $$`.execute(
      db,
    )
  },
  (db) =>
    sql`
      create trigger post_targets_settle_spending before update on post_targets for each row
      when (old.intent_micros is not null and new.intent is null)
      execute function settle_spending()`.execute(db),
  (db) =>
    sql`
      create trigger post_targets_note_scheduling_key before update on post_targets for each row
      when (new.due_at is distinct from old.due_at)
      execute function note_scheduling_key()`.execute(db),
  (db) =>
    sql`
      create trigger post_targets_note_spending after update on post_targets
      referencing old table as previous new table as changed
      for each statement execute function note_spending()`.execute(db),
  (db) =>
    sql`
      create trigger post_targets_note_deleted_spending after delete on post_targets for each row
      when (old.intent_micros is not null)
      execute function note_spending()`.execute(db),
]

async function createSums(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table account_spending (
      account_id uuid not null references accounts on delete cascade,
      month date not null,
      reserved_micros bigint not null,
      spent_micros bigint not null,
      primary key (account_id, month))`.execute(db)
  await sql`
    create table key_spending (
      key_id uuid not null references api_keys on delete cascade,
      month date not null,
      reserved_micros bigint not null,
      spent_micros bigint not null,
      primary key (key_id, month))`.execute(db)
}
