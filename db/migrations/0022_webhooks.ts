import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/** Webhooks: URLs that get the events of their owner. */
export const steps: Step[] = [
  async (db) => {
    await db.schema
      .createTable('webhooks')
      .addColumn('id', 'uuid', (c) => c.primaryKey())
      .addColumn('user_id', 'uuid', (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('url', 'text', (c) => c.notNull())
      // The events that it gets: types, or families such as `delivery.*`. Null for all.
      .addColumn('types', sql`text[]`)
      // It gets only events of these accounts. Null for all.
      .addColumn('account_ids', sql`uuid[]`)
      // The scopes of the key that created it, which limit the types. Null for all.
      .addColumn('scopes', sql`text[]`)
      .addColumn('payload', 'text', (c) => c.notNull().check(sql`payload in ('full', 'thin')`))
      // The encrypted secrets, as in account_credentials: {secret, previousSecret}.
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('data_key', 'bytea', (c) => c.notNull())
      .addColumn('data', 'bytea', (c) => c.notNull())
      // The first characters of the secret.
      .addColumn('secret_start', 'text', (c) => c.notNull())
      .addColumn('secret_created_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      // Of the secret before it; null if there is none.
      .addColumn('previous_created_at', 'timestamptz')
      .addColumn('previous_expires_at', 'timestamptz')
      // Since when nothing is sent; null while it is active.
      .addColumn('disabled_at', 'timestamptz')
      .addColumn('disabled_reason', 'text', (c) => c.check(sql`disabled_reason in ('owner', 'failing', 'gone')`))
      // Since when no attempt has succeeded, how many have failed since then, and how many warnings were written.
      .addColumn('failing_since', 'timestamptz')
      .addColumn('failures', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('warnings', 'integer', (c) => c.notNull().defaultTo(0))
      // When an attempt last succeeded, or when the owner enabled it. Failures count from then. Null before the first success.
      .addColumn('healthy_at', 'timestamptz')
      // Whether the last response took long.
      .addColumn('is_slow', 'boolean', (c) => c.notNull().defaultTo(false))
      // Nothing is sent before.
      .addColumn('rests_until', 'timestamptz')
      // The worker that sends its deliveries.
      .addColumn('lease_token', 'uuid')
      .addColumn('leased_until', 'timestamptz')
      .addColumn('created_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      .addCheckConstraint('webhooks_disabled', sql`(disabled_at is null) = (disabled_reason is null)`)
      .execute()
    // Workers update the rows all the time: leave room to do so in place.
    await sql`alter table webhooks set (fillfactor = 50)`.execute(db)
    await db.schema.createIndex('webhooks_user_id').on('webhooks').columns(['user_id', 'id']).execute()
  },
  async (db) => {
    // One event for one webhook. Without foreign keys, as events are: deleting a webhook must not stop the sequencer.
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('webhook_id', 'uuid', (c) => c.notNull())
      .addColumn('event_id', 'uuid', (c) => c.notNull())
      .addColumn('state', 'text', (c) =>
        c.notNull().defaultTo('pending').check(sql`state in ('pending', 'delivered', 'failed')`),
      )
      // How often it was queued. A redelivery must not be settled by an attempt that began before it.
      .addColumn('run', 'integer', (c) => c.notNull().defaultTo(1))
      .addColumn('queued_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      // When the next attempt is due, while it is pending.
      .addColumn('due_at', 'timestamptz', (c) => c.notNull().defaultTo(sql`now()`))
      // Since it was queued last.
      .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
      // The last attempt: its start, duration and outcome.
      .addColumn('attempted_at', 'timestamptz')
      .addColumn('duration_ms', 'integer')
      .addColumn('response_status', 'integer')
      // At most 1 kB of the response.
      .addColumn('response_body', 'text')
      .addColumn('error_code', 'text')
      .addPrimaryKeyConstraint('webhook_deliveries_pkey', ['webhook_id', 'event_id'])
      .execute()
    await sql`
      create index webhook_deliveries_pending on webhook_deliveries (webhook_id, due_at)
      where state = 'pending'`.execute(db)
    await sql`
      create index webhook_deliveries_failed on webhook_deliveries (webhook_id, event_id)
      where state = 'failed'`.execute(db)
    await sql`alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.01)`.execute(db)
  },
]
