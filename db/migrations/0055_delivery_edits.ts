import type { Step } from '../migration.ts'

/** Adds the edit of a published delivery. */
export const steps: Step[] = [
  // A `StoredEdit`. Null if no edit is under way, and none has failed.
  (db) => db.schema.alterTable('post_targets').addColumn('edit', 'jsonb').execute(),
]
