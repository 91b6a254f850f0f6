import { sql } from 'kysely'
import { NO_ID } from '../id.ts'
import { concurrentIndex, type Step } from '../migration.ts'

/** One stream of the events of all users, and webhooks that get them. Version 1.0 numbers no events. */
export const steps: Step[] = [
  // Among the events of all users. Null for events of development versions.
  (db) => db.schema.alterTable('events').addColumn('global_position', 'bigint').execute(),
  // The sequencer of a development version fails: its events would be missing. They wait for one of this version.
  (db) =>
    sql`
      alter table events
        add constraint events_global_position check (global_position is not null) not valid`.execute(db),
  concurrentIndex('events_global_position_key', sql`events (global_position)`, { unique: true }),
  // The stream of all users, whose row each sequencer locks.
  (db) => sql`insert into event_streams (user_id, last) values (${NO_ID}, 0)`.execute(db),
  (db) =>
    db.schema
      .alterTable('webhooks')
      // Whether it gets the events of all users in place of its owner's, and of which organisation; null for all.
      .addColumn('all_users', 'boolean', (c) => c.notNull().defaultTo(false))
      // No foreign key: no event concerns an organisation that was deleted.
      .addColumn('organization_id', 'uuid')
      .execute(),
  concurrentIndex('webhooks_all_users', sql`webhooks (id) where all_users`),
]
