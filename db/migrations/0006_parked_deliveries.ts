import { type Kysely, sql } from 'kysely'

/**
 * Takes parked deliveries out of the index of due deliveries. They are due, but wait behind others of their account, and a
 * worker would skip all of them at each claim. Workers find them through their accounts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('post_targets')
    .addColumn('parked', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute()
  await db.schema.dropIndex('post_targets_claimable').execute()
  await sql`
    create index post_targets_claimable on post_targets (platform, claimable_at)
    where claimable_at is not null and not parked`.execute(db)
  await sql`create index post_targets_parked on post_targets (platform, account_id) where parked`.execute(db)
}
