import type { Step } from '../migration.ts'

/** Lets a delivery keep the facts of files that it has published and that are deleted afterwards. */
export const steps: Step[] = [
  // A list of `StoredFile`, each with its position. Null if none was deleted.
  (db) => db.schema.alterTable('post_targets').addColumn('deleted_files', 'jsonb').execute(),
]
