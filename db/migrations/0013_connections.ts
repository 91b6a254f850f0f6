import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/** Connecting accounts by OAuth. */
export const steps: Step[] = [
  async (db) => {
    await db.schema
      .createTable('oauth_apps')
      .addColumn('id', 'uuid', (c) => c.primaryKey())
      // Who stored it: one of the two.
      .addColumn('user_id', 'uuid', (c) => c.references('users.id').onDelete('cascade'))
      .addColumn('organization_id', 'uuid', (c) => c.references('organizations.id').onDelete('cascade'))
      .addColumn('platform', 'text', (c) => c.notNull())
      .addColumn('client_id', 'text', (c) => c.notNull())
      .addColumn('scopes', sql`text[]`)
      // The encrypted secret, as in account_credentials.
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('data_key', 'bytea', (c) => c.notNull())
      .addColumn('data', 'bytea', (c) => c.notNull())
      // Since then another app takes its place for new connections. Accounts may still need it.
      .addColumn('replaced_at', 'timestamptz')
      .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      .addCheckConstraint('oauth_apps_owner', sql`num_nonnulls(user_id, organization_id) = 1`)
      .execute()
    await sql`
      create unique index oauth_apps_of_user on oauth_apps (user_id, platform)
      where user_id is not null and replaced_at is null`.execute(db)
    await sql`
      create unique index oauth_apps_of_organization on oauth_apps (organization_id, platform)
      where organization_id is not null and replaced_at is null`.execute(db)
    // For deleting users and organisations.
    await db.schema.createIndex('oauth_apps_user_id').on('oauth_apps').column('user_id').execute()
    await db.schema.createIndex('oauth_apps_organization_id').on('oauth_apps').column('organization_id').execute()
  },
  async (db) => {
    await db.schema
      .createTable('connections')
      .addColumn('id', 'uuid', (c) => c.primaryKey())
      .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('organization_id', 'uuid', (c) => c.references('organizations.id').onDelete('cascade'))
      .addColumn('platform', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) =>
        c.notNull().check(sql`state in ('pending', 'opened', 'choosing', 'connected', 'failed', 'expired')`),
      )
      // SHA-256 of what the link, the network's callback and the browser have to bring. Null if it is no longer valid.
      .addColumn('token_hash', 'bytea', (c) => c.unique())
      .addColumn('state_hash', 'bytea', (c) => c.unique())
      .addColumn('cookie_hash', 'bytea')
      // The app that the flow began with.
      .addColumn('app_id', 'uuid')
      .addColumn('client_id', 'text')
      // Encrypted: first what the network's `begin` has kept, then the accounts to choose from with their tokens.
      .addColumn('key_id', 'text')
      .addColumn('data_key', 'bytea')
      .addColumn('data', 'bytea')
      .addColumn('return_url', 'text')
      // The account to connect again.
      .addColumn('account_id', 'uuid')
      .addColumn('hint', 'text')
      .addColumn('external_reference', 'text')
      // [{id, kind, username, displayName}]
      .addColumn('choices', 'jsonb')
      // The connected accounts.
      .addColumn('account_ids', sql`uuid[]`)
      // {code, message}
      .addColumn('error', 'jsonb')
      .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
      .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      .execute()
    await db.schema.createIndex('connections_user_id').on('connections').column('user_id').execute()
    await db.schema.createIndex('connections_organization_id').on('connections').column('organization_id').execute()
  },
  (db) =>
    db.schema
      .alterTable('accounts')
      // The scopes that the user granted. Null if the account was connected with credentials.
      .addColumn('scopes', sql`text[]`)
      // When the access token expires. Null if it does not, or if this is not known.
      .addColumn('credentials_expire_at', 'timestamptz')
      // The app that a refresh needs. Without `app_id`, it is the one of the deployment with this `client_id`.
      .addColumn('client_id', 'text')
      .addColumn('app_id', 'uuid', (c) => c.references('oauth_apps.id').onDelete('set null'))
      // The user's own name for the account.
      .addColumn('external_reference', 'text')
      .execute(),
  concurrentIndex('accounts_app_id', sql`accounts (app_id) where app_id is not null`),
]
