import type { Step } from '../migration.ts'

/** Adds the focus of a file: the point that stays visible where it is cropped. */
export const steps: Step[] = [(db) => db.schema.alterTable('media').addColumn('focus', 'jsonb').execute()]
