import type { Kysely } from 'kysely'

/** Adds the maximum text length of the account's server, if the server states one. Null means the limit of the network. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('text_length_max', 'integer').execute()
}
