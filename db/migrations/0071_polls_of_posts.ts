import type { Step } from '../migration.ts'

/**
 * Adds polls in one form. Workers of older versions publish posts without them: no client may send such posts before
 * these workers are replaced.
 */
export const steps: Step[] = [(db) => db.schema.alterTable('posts').addColumn('poll', 'jsonb').execute()]
