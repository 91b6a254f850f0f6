import { type Kysely, sql } from 'kysely'

/** Adds the stored responses to creates, which are replayed when a request is repeated with its Idempotency-Key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'bytea', (c) => c.notNull())
    .addColumn('status', 'smallint', (c) => c.notNull())
    // Text keeps the bytes of the response. jsonb would not keep the order of the keys.
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
    .addPrimaryKeyConstraint('idempotency_keys_pkey', ['user_id', 'key'])
    .execute()
  await db.schema.createIndex('idempotency_keys_created_at').on('idempotency_keys').column('created_at').execute()
}
