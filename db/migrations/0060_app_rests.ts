import type { Step } from '../migration.ts'

/** Lets a rest say why it was ordered: a network restricts the app, and its operator has to act. */
export const steps: Step[] = [
  // {code, message, since}; null for a rate limit.
  (db) => db.schema.alterTable('limit_rests').addColumn('reason', 'jsonb').execute(),
]
