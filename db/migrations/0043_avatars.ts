import { sql } from 'kysely'
import type { Step } from '../migration.ts'

export const steps: Step[] = [
  (db) =>
    sql`
      create table avatars (
        account_id uuid primary key references accounts (id) on delete cascade,
        -- A WebP of a few kilobytes.
        bytes bytea not null,
        stored_at timestamptz not null default now()
      )`.execute(db),
]
