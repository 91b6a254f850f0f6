import type { Step } from '../migration.ts'

/** Lets a delivery keep the time from which its lost calls can no longer arrive. Earlier versions do not write it. */
export const steps: Step[] = [
  // When the last call that lost its response ended. Null if none has.
  (db) => db.schema.alterTable('post_targets').addColumn('lost_call_at', 'timestamptz').execute(),
]
