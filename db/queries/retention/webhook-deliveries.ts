import { sql } from 'kysely'
import { prepared } from '../../prepared.ts'

/**
 * Deletes deliveries of events that were numbered before `beforeId`, and those of deleted webhooks, at most `limit`. It
 * jumps from webhook to webhook in the primary key, so that no index on times slows down sending.
 */
export const deleteOldWebhookDeliveries = prepared<{ beforeId: string; limit: number }, { eventId: string }>(
  'delete_old_webhook_deliveries',
  (_db, value) => sql`
    with recursive hook(id) as (
      (select webhook_id from webhook_deliveries order by webhook_id limit 1)
      union all
      select (select webhook_id from webhook_deliveries where webhook_id > hook.id order by webhook_id limit 1)
      from hook
      where hook.id is not null
    ),
    old as (
      select delivery.webhook_id, delivery.event_id
      from hook
      left join webhooks on webhooks.id = hook.id
      cross join lateral (
        select webhook_id, event_id from webhook_deliveries
        where webhook_id = hook.id
          and event_id < case
            when webhooks.id is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
            else ${value('beforeId')}::uuid end
        order by event_id limit ${value('limit')}) as delivery
      limit ${value('limit')}
    )
    delete from webhook_deliveries using old
    where webhook_deliveries.webhook_id = old.webhook_id and webhook_deliveries.event_id = old.event_id
    returning webhook_deliveries.event_id`,
)
