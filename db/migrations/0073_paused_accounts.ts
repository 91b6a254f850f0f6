import type { Step } from '../migration.ts'

/**
 * Adds the time since which an account is paused, and the time at which its last pause ended. Workers of older versions
 * publish to paused accounts: no client may pause one before these workers are replaced.
 */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('accounts')
      .addColumn('paused_at', 'timestamptz')
      .addColumn('resumed_at', 'timestamptz')
      .execute(),
]
