import type { Step } from '../migration.ts'

/**
 * Adds files of single parts of a thread. Null: the first part. Workers of older versions publish all files with the
 * first part: no client may send such posts before these workers are replaced.
 */
export const steps: Step[] = [(db) => db.schema.alterTable('post_media').addColumn('part', 'integer').execute()]
