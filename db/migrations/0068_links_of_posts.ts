import type { Step } from '../migration.ts'

/**
 * Adds what a post adds to its addresses. Workers of older versions publish them as they are written: no client may
 * send such posts before these workers are replaced.
 */
export const steps: Step[] = [(db) => db.schema.alterTable('posts').addColumn('links', 'jsonb').execute()]
