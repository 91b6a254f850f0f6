import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * What the API key that stored a response allows. Null in rows of earlier versions. An earlier version that replaces an
 * expired row keeps `rights` and `rights_at`, but sets another `created_at`: `rights` counts only where the times are equal.
 */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('idempotency_keys')
      .addColumn('rights', 'text')
      .addColumn('rights_at', 'timestamptz', (column) => column.defaultTo(sql`now()`))
      .execute(),
]
