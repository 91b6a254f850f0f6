import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/** Refreshing access tokens. */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('account_credentials')
      // Each write of credentials increases it. A write that depends on credentials read before names the generation read.
      .addColumn('generation', 'integer', (c) => c.notNull().defaultTo(1))
      // When the tokens are refreshed. Null if they cannot be; infinity if the network does not say when they expire.
      .addColumn('refresh_at', 'timestamptz')
      // Until then, a worker refreshes them.
      .addColumn('refresh_lease_until', 'timestamptz')
      // When the call that may have spent the refresh token was about to be sent. Null if its outcome is known.
      .addColumn('refresh_intended_at', 'timestamptz')
      // In a row.
      .addColumn('refresh_failures', 'integer', (c) => c.notNull().defaultTo(0))
      .execute(),
  concurrentIndex('account_credentials_refresh_at', sql`account_credentials (refresh_at) where refresh_at is not null`),
]
