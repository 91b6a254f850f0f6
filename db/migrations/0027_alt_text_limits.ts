import type { Step } from '../migration.ts'

/** Adds the longest alternative text that the account's server keeps. Null means the limit of the network. */
export const steps: Step[] = [
  (db) => db.schema.alterTable('accounts').addColumn('alt_text_length_max', 'integer').execute(),
]
