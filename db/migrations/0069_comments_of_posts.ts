import type { Step } from '../migration.ts'

/**
 * Adds comments after pauses. Workers of older versions publish posts without them: no client may send such posts
 * before these workers are replaced.
 */
export const steps: Step[] = [(db) => db.schema.alterTable('posts').addColumn('comments', 'jsonb').execute()]
