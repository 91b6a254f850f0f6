import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/** What a key may do, when it was last used, and which key it replaces. */
export const steps: Step[] = [
  // Null means every scope, and every account of the user.
  (db) =>
    sql`
      alter table api_keys
        add column scopes text[],
        add column account_ids uuid[],
        add column last_used_at timestamptz,
        add column replaces uuid`.execute(db),
  // A key has one successor at a time.
  concurrentIndex('api_keys_replaces', sql`api_keys (replaces) where replaces is not null and revoked_at is null`, {
    unique: true,
  }),
]
