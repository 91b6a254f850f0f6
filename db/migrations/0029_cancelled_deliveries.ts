import { sql } from 'kysely'
import type { Step } from '../migration.ts'

/**
 * `cancelled` is a state of deliveries. Version 1.0 cancels none, and treats an unknown state as one that has ended.
 * Development versions stored it as `failed` with the error `cancelled`.
 */
export const steps: Step[] = [
  // Not validated, which would read the table while nothing else can.
  (db) =>
    sql`
      alter table post_targets
        drop constraint post_targets_state_check,
        add constraint post_targets_state_check check (state in (
          'waiting', 'queued', 'publishing', 'published', 'failed', 'cancelled', 'unconfirmed', 'missed')) not valid`.execute(
      db,
    ),
  (db) => sql`alter table post_targets validate constraint post_targets_state_check`.execute(db),
  async (db) => {
    await sql`
      update post_targets set state = 'cancelled' where state = 'failed' and error ->> 'code' = 'cancelled'`.execute(db)
    // The trigger has taken each change for a cancellation.
    await sql`delete from event_outbox where xmin = pg_current_xact_id()::xid`.execute(db)
  },
]
