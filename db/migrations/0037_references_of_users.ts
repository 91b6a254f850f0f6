import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

export const steps: Step[] = [
  (db) => db.schema.alterTable('users').addColumn('external_reference', 'text').execute(),
  concurrentIndex('users_external_reference', sql`users (external_reference, id) where external_reference is not null`),
  concurrentIndex('users_name', sql`users (name, id)`),
]
