import type { Step } from '../migration.ts'

/**
 * Adds the text that follows the captions of an account. Workers of older versions publish captions without it: no
 * client may set one before these workers are replaced.
 */
export const steps: Step[] = [
  (db) => db.schema.alterTable('accounts').addColumn('caption_suffix', 'jsonb').execute(),
  (db) => db.schema.alterTable('post_targets').addColumn('caption_suffix', 'text').execute(),
]
