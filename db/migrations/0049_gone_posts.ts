import type { Step } from '../migration.ts'

/** Adds that a published post is not on its network any more. */
export const steps: Step[] = [
  // Since when. Confirmed by a second reading, unlike `delivery_metrics.gone_at`.
  (db) => db.schema.alterTable('post_targets').addColumn('gone_at', 'timestamptz').execute(),
  // The end of the last reading: `attempted_at` is its beginning.
  (db) => db.schema.alterTable('delivery_metrics').addColumn('checked_at', 'timestamptz').execute(),
]
