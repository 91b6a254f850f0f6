import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * Adds the states of posts that are taken down, and what workers change on networks after publication. Earlier versions
 * treat an unknown state as one that has ended. They claim by `claimable_at`, so that a change has a time of its own.
 */
export const steps: Step[] = [
  // Not validated, which would read the table while nothing else can.
  (db) =>
    sql`
      alter table post_targets
        drop constraint post_targets_state_check,
        add constraint post_targets_state_check check (state in (
          'waiting', 'queued', 'publishing', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed',
          'removing', 'removed', 'remove_failed')) not valid`.execute(db),
  (db) => sql`alter table post_targets validate constraint post_targets_state_check`.execute(db),
  async (db) => {
    await sql`
      create table delivery_changes (
        user_id uuid not null,
        post_id uuid not null,
        account_id uuid not null,
        kind text not null check (kind in ('remove', 'edit')),
        requested_at timestamptz not null default now(),
        -- When a worker carries it out; the end of the lease while there is a lease token. Null if it is over.
        next_at timestamptz,
        lease_token uuid,
        -- The number of the act whose call may have been made.
        intent integer,
        failures integer not null default 0,
        primary key (user_id, post_id, account_id),
        foreign key (user_id, post_id, account_id)
          references post_targets (user_id, post_id, account_id) on delete cascade)`.execute(db)
    await sql`create index delivery_changes_next_at on delivery_changes (next_at) where next_at is not null`.execute(db)
    await sql`
      create index delivery_changes_leased on delivery_changes (account_id) where lease_token is not null`.execute(db)
  },
]
