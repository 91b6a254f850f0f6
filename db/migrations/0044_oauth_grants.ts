import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** OAuth for clients of this service: an app gets a key of its own, and tokens that stand for it. */
export const steps: Step[] = [
  // Clients that registered themselves. Those that are not used expire.
  async (db) => {
    await sql`
      create table oauth_clients (
        id text primary key,
        name text not null,
        redirect_uris text[] not null,
        is_used boolean not null default false,
        expires_at timestamptz not null,
        created_at timestamptz not null default now())`.execute(db)
    await sql`create index oauth_clients_expires_at on oauth_clients (expires_at)`.execute(db)
  },
  // What stands for a key on the consent page, once and for minutes: a code for people, or the secret of the page.
  async (db) => {
    await sql`
      create table oauth_approvals (
        hash bytea primary key,
        key_id uuid not null references api_keys on delete cascade,
        expires_at timestamptz not null)`.execute(db)
    await sql`create index oauth_approvals_key_id on oauth_approvals (key_id)`.execute(db)
    await sql`create index oauth_approvals_expires_at on oauth_approvals (expires_at)`.execute(db)
  },
  // A key that belongs to an app.
  async (db) => {
    await sql`
      create table oauth_grants (
        key_id uuid primary key references api_keys on delete cascade,
        client_id text not null,
        redirect_uri text not null,
        resource text not null)`.execute(db)
  },
  async (db) => {
    await sql`
      create table oauth_codes (
        hash bytea primary key,
        -- The key whose owner approved.
        key_id uuid not null references api_keys on delete cascade,
        client_id text not null,
        client_name text not null,
        redirect_uri text not null,
        code_challenge text not null,
        resource text not null,
        scopes text[] not null,
        account_ids uuid[],
        -- The key that the code was exchanged for.
        grant_key_id uuid,
        expires_at timestamptz not null)`.execute(db)
    await sql`create index oauth_codes_key_id on oauth_codes (key_id)`.execute(db)
    await sql`create index oauth_codes_expires_at on oauth_codes (expires_at)`.execute(db)
  },
  async (db) => {
    await sql`
      create table oauth_tokens (
        hash bytea primary key,
        key_id uuid not null references oauth_grants on delete cascade,
        type text not null check (type in ('access', 'refresh')),
        -- Since then a refresh token has a successor.
        superseded_at timestamptz,
        expires_at timestamptz not null,
        created_at timestamptz not null default now())`.execute(db)
    await sql`create index oauth_tokens_key_id on oauth_tokens (key_id)`.execute(db)
    await sql`create index oauth_tokens_expires_at on oauth_tokens (expires_at)`.execute(db)
  },
]
