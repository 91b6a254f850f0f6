import type { Step } from '../migration.ts'

/**
 * Adds files of a post for one of its accounts. Older versions give every account all files of a post, so they must
 * not publish such posts: replace the workers before the API.
 */
export const steps: Step[] = [
  (db) => db.schema.alterTable('post_media').addColumn('account_id', 'uuid').execute(),
  (db) =>
    db.schema
      .alterTable('post_targets')
      .addColumn('own_media', 'boolean', (column) => column.notNull().defaultTo(false))
      .execute(),
]
