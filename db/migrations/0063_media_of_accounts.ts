import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** The files that keys for some accounts have added: such keys see no other unused files. */
export const steps: Step[] = [
  async (db) => {
    await sql`
      create table media_accounts (
        user_id uuid not null,
        media_id uuid not null,
        -- The hash of the list of accounts: of a key for tens of thousands, the list itself is long.
        accounts_hash bytea not null,
        primary key (user_id, media_id, accounts_hash),
        foreign key (user_id, media_id) references media on delete cascade)`.execute(db)
  },
]
