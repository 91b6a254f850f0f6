import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Adds the words of its users for an account. Null without any. */
export const steps: Step[] = [(db) => db.schema.alterTable('accounts').addColumn('tags', sql`text[]`).execute()]
