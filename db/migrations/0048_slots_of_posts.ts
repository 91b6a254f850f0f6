import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Adds the slot that the queue has chosen for a delivery. It counts while the delivery is due at this time: statements
 * that move a delivery leave it alone.
 */
export const steps: Step[] = [
  (db) => db.schema.alterTable('post_targets').addColumn('slot_at', 'timestamptz').execute(),
  // No write for a delivery at another time.
  concurrentIndex('post_targets_slots', sql`post_targets (account_id, slot_at) where slot_at is not null`),
]
