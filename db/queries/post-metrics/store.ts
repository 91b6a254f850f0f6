import { type RawBuilder, sql } from 'kysely'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { Db } from '../../client.ts'
import { at, dayOf, type Now } from '../clock.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'

/** The outcome of reading one post, as it is stored. */
export interface StoredReading extends DeliveryKey {
  /** Null if the reading failed, or the post is gone: earlier numbers stay. */
  counts: Record<string, number> | null
  missing?: Record<string, string>
  error?: DeliveryError
  isGone?: boolean
  /** Null if the post is not read again. */
  nextInMs: number | null
  keepsPoint: boolean
}

const toRow = ({ userId, postId, accountId, counts, missing, error, isGone, nextInMs, keepsPoint }: StoredReading) => ({
  ...{ user_id: userId, post_id: postId, account_id: accountId, counts, missing: missing ?? {}, error: error ?? null },
  ...{ is_gone: isGone ?? false, next_in_ms: nextInMs, keeps_point: keepsPoint },
})

/** Whether a webhook of the user, or one of all users, names the event. A webhook for all types does not. */
const isSubscribed = (userId: RawBuilder<unknown>) => sql`exists (
  select from webhooks
  where (webhooks.user_id = ${userId} or webhooks.all_users) and webhooks.disabled_at is null
    and webhooks.types && array['metrics.updated', 'metrics.*'])`

/** Stores readings and the point of the day of each, and writes events of numbers that have changed. */
export async function storeReadings(db: Db, readings: readonly StoredReading[], now: Now): Promise<void> {
  await sql`
    with item as (
      select item.*, before.counts as counts_before
      from jsonb_to_recordset(${JSON.stringify(readings.map(toRow))}::jsonb) as item(
        user_id uuid, post_id uuid, account_id uuid, counts jsonb, missing jsonb, error jsonb, is_gone boolean,
        next_in_ms float8, keeps_point boolean)
      join delivery_metrics as before
        on before.user_id = item.user_id and before.post_id = item.post_id and before.account_id = item.account_id
    ),
    stored as (
      update delivery_metrics as metrics
      set attempted_at = ${at(now)},
        fetched_at = case when item.counts is null then metrics.fetched_at else ${at(now)} end,
        counts = coalesce(item.counts, metrics.counts),
        missing = case when item.counts is null then metrics.missing else item.missing end,
        error = item.error,
        gone_at = case when item.is_gone then coalesce(metrics.gone_at, ${at(now)})
          when item.counts is null then metrics.gone_at end,
        next_at = ${at(now)} + item.next_in_ms * interval '1 ms'
      from item
      where metrics.user_id = item.user_id and metrics.post_id = item.post_id
        and metrics.account_id = item.account_id
      returning metrics.user_id, metrics.post_id, metrics.account_id, metrics.counts,
        item.counts is not null and item.keeps_point as keeps_point, metrics.counts <> item.counts_before as has_changed
    ),
    event as (
      insert into event_outbox (user_id, type, post_id, account_ids, data)
      select stored.user_id, 'metrics.updated', stored.post_id, array[stored.account_id],
        jsonb_build_object('platform', accounts.platform)
      from stored join accounts on accounts.id = stored.account_id
      where has_changed and ${isSubscribed(sql`stored.user_id`)}
    )
    insert into delivery_metric_points (user_id, post_id, account_id, day, counts)
    select user_id, post_id, account_id, ${dayOf(now)}, counts from stored where keeps_point
    on conflict (user_id, post_id, account_id, day) do update set counts = excluded.counts`.execute(db)
}
