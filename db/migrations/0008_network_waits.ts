import type { Step } from '../migration.ts'

/** Deliveries that wait for their network, and rate limits that several accounts share. */
export const steps: Step[] = [
  (db) =>
    db.schema
      .alterTable('post_targets')
      // {act, state}: what the adapter's `prepare` returned for the act with this number. Without the number, a process of the
      // previous version could pass it on to the next act.
      .addColumn('prepared', 'jsonb')
      // Since when the delivery has waited for its network; null while it does not.
      .addColumn('waiting_since', 'timestamptz')
      .execute(),
  // Names the accounts that share a rate limit, such as those of one bot; null where the account has its own.
  (db) => db.schema.alterTable('accounts').addColumn('limit_key', 'text').execute(),
  // Until when nothing is sent to accounts with this limit_key, or on this platform.
  (db) =>
    db.schema
      .createTable('limit_rests')
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('until', 'timestamptz', (c) => c.notNull())
      .execute(),
]
