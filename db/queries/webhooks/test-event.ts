import { sql } from 'kysely'
import type { Db } from '../../client.ts'

/** Writes an event that only this webhook gets. */
export const writeTestEvent = (
  db: Db,
  { userId, webhookId, sample }: { userId: string; webhookId: string; sample: string | null },
) =>
  sql`
    insert into event_outbox (user_id, type, data)
    values (${userId}, 'webhook.test', jsonb_strip_nulls(
      jsonb_build_object('webhookId', ${webhookId}::uuid, 'sample', ${sample}::text)))`.execute(db)
