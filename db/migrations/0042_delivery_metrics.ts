import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Adds the numbers of published posts, such as likes. */
export const steps: Step[] = [
  async (db) => {
    // The position among the events of all users up to which published deliveries have been found.
    await sql`
      create table metrics_cursor (
        singleton boolean primary key default true check (singleton),
        position bigint not null default 0)`.execute(db)
    await sql`insert into metrics_cursor default values`.execute(db)
    // When a worker reads the numbers of an account's posts next, and which worker does so now.
    await sql`
      create table metric_turns (
        account_id uuid primary key references accounts (id) on delete cascade,
        platform text not null,
        -- The end of the lease while there is a lease token. Null if nothing is to be read.
        next_at timestamptz,
        lease_token uuid,
        failures smallint not null default 0)`.execute(db)
    await sql`create index metric_turns_next_at on metric_turns (next_at) where next_at is not null`.execute(db)
  },
  async (db) => {
    await sql`
      create table delivery_metrics (
        user_id uuid not null,
        post_id uuid not null,
        account_id uuid not null,
        -- Null if the post is too old to be read again.
        next_at timestamptz,
        attempted_at timestamptz,
        fetched_at timestamptz,
        -- What the network reported last, under its own names, and why it left names out.
        counts jsonb not null default '{}',
        missing jsonb not null default '{}',
        -- {code, message, retryable} of the last reading; null if it succeeded.
        error jsonb,
        -- Since when the network does not show the post.
        gone_at timestamptz,
        primary key (user_id, post_id, account_id),
        foreign key (user_id, post_id, account_id)
          references post_targets (user_id, post_id, account_id) on delete cascade)`.execute(db)
    await sql`
      create index delivery_metrics_next_at on delivery_metrics (account_id, next_at) where next_at is not null`.execute(
      db,
    )
    // The last reading of each day in UTC.
    await sql`
      create table delivery_metric_points (
        user_id uuid not null,
        post_id uuid not null,
        account_id uuid not null,
        day date not null,
        counts jsonb not null,
        primary key (user_id, post_id, account_id, day),
        foreign key (user_id, post_id, account_id)
          references delivery_metrics (user_id, post_id, account_id) on delete cascade)`.execute(db)
    await sql`create index delivery_metric_points_day on delivery_metric_points (day)`.execute(db)
  },
]
