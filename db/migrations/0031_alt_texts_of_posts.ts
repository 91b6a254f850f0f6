import type { Step } from '../migration.ts'

/** Adds alternative texts for one post, by the ids of its files. */
export const steps: Step[] = [(db) => db.schema.alterTable('posts').addColumn('alt_texts', 'jsonb').execute()]
