import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Simulated times of users whose accounts are all on the sandbox. Connecting another account ends them. */
export const steps: Step[] = [
  async (db) => {
    await sql`
      create table sandbox_clocks (
        user_id uuid primary key references users on delete cascade,
        -- Everything that was due before has happened. While it is ahead of the real time, it is the user's present.
        reached_at timestamptz not null,
        -- The time that workers move the clock to; null if it is there.
        target_at timestamptz,
        -- The clock has no effect any more. A worker deletes the row.
        is_ending boolean not null default false,
        -- By the real time, like every lease on the row. Without a token: a worker looks at the clock again from then.
        lease_token uuid,
        leased_until timestamptz)`.execute(db)
    await sql`
      create function end_sandbox_clock() returns trigger language plpgsql as $$
      begin
        return null;
      end $$`.execute(db)
  },
  // Whether the time of the event is that of a clock already, which has moved on.
  (db) =>
    db.schema
      .alterTable('event_outbox')
      .addColumn('is_dated', 'boolean', (column) => column.notNull().defaultTo(false))
      .execute(),
  (db) =>
    sql`
      create trigger accounts_end_sandbox_clock
      after insert or update of platform, user_id, organization_id, disconnected_at on accounts for each row
      when (new.disconnected_at is null and (new.platform <> 'sandbox' or new.organization_id is not null))
      execute function end_sandbox_clock()`.execute(db),
  (db) =>
    sql`
      create trigger memberships_end_sandbox_clock after insert on memberships for each row
      execute function end_sandbox_clock()`.execute(db),
]
