import { sql } from 'kysely'
import { concurrentIndex, type Step } from '../migration.ts'

/** What removes the metadata of a file when it is published, and a way to find it by the file. */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('media')
      // Null in files of older versions, until they are first published.
      .addColumn('edits', 'jsonb')
      .execute(),
  concurrentIndex('media_storage_key', sql.raw('media (storage_key)')),
]
