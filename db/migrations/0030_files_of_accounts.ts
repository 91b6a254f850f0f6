import type { Step } from '../migration.ts'

/**
 * Adds files of a post for one of its accounts. Workers of older versions publish all files of a post to every account:
 * no client may send such posts before these workers are replaced.
 */
export const steps: Step[] = [
  (db) => db.schema.alterTable('post_media').addColumn('account_id', 'uuid').execute(),
  (db) =>
    db.schema
      .alterTable('post_targets')
      .addColumn('own_media', 'boolean', (column) => column.notNull().defaultTo(false))
      .execute(),
]
