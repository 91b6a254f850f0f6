import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Adds times of a post for single accounts; null where the time of the post counts. Processes of older versions keep
 * these times and publish at them, but show and retry such a delivery at the time of the post.
 */
export const steps: Step[] = [
  (db) => db.schema.alterTable('post_targets').addColumn('own_scheduled_at', 'timestamptz').execute(),
  // No write for a delivery at the time of its post.
  concurrentIndex(
    'post_targets_own_schedule',
    sql`post_targets (user_id, own_scheduled_at, post_id, account_id) where own_scheduled_at is not null`,
  ),
]
