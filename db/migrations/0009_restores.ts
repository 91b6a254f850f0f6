import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Tells a database that was restored from a backup from the one that workers knew. */
const createInstallation: Step = (db) =>
  db.schema
    .createTable('installation')
    // One row. The first worker inserts it, so that databases copied from an unused one differ.
    .addColumn('singleton', 'boolean', (c) => c.primaryKey().defaultTo(true).check(sql`singleton`))
    .addColumn('id', 'uuid', (c) => c.notNull().defaultTo(sql`gen_random_uuid()`))
    // Workers increase the mark, then write it to the journal, together with what they sent.
    .addColumn('mark', 'bigint', (c) => c.notNull().defaultTo(0))
    // Since when workers refuse to send, until `restore finish`.
    .addColumn('refused_since', 'timestamptz')
    .execute()

export const steps = [createInstallation]
