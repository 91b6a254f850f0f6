import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/**
 * Adds a digest of the text that each delivery publishes, by which equal texts of an account are found. Null for
 * deliveries without a text, and for those that earlier versions write: they are not compared.
 */
export const steps: Step[] = [
  (db) => db.schema.alterTable('post_targets').addColumn('text_digest', 'bigint').execute(),
  // No write for a draft.
  concurrentIndex(
    'post_targets_texts',
    sql`post_targets (account_id, text_digest, due_at) where text_digest is not null and due_at is not null`,
  ),
]
