import type { Kysely } from 'kysely'

/** How long a text the account's own server takes, where it says so: null is as its network's limits have it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('text_length_max', 'integer').execute()
}
