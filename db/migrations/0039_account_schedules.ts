import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Adds the weekly times of an account, which the queue fills. A row is also the lock of the queue of its account. */
export const steps: Step[] = [
  (db) =>
    sql`
      create table account_schedules (
        account_id uuid primary key references accounts (id) on delete cascade,
        time_zone text not null,
        slots jsonb not null,
        skip jsonb not null
      )`.execute(db),
]
