import { type Kysely, sql } from 'kysely'

/**
 * Deliveries that are due, and wait behind others of their account, leave the index that says what is due: to find what
 * can be sent, a worker would pass by all of them each time. They are found by way of their accounts.
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
