import { type RawBuilder, sql } from 'kysely'
import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { Db } from '../../client.ts'
import { after, at, dayOf, type Now } from '../clock.ts'
import type { DeliveryKey } from '../delivery/delivery.ts'

/** The outcome of reading one post, as it is stored. */
export interface StoredReading extends DeliveryKey {
  /** Null if the reading failed, or did not find the post: earlier numbers stay. */
  counts: Record<string, number> | null
  missing?: Record<string, string>
  error?: DeliveryError
  /** Whether the network showed the post: `unknown` after a failure, `not_asked` if it was not called. */
  presence: 'seen' | 'unseen' | 'unknown' | 'not_asked'
  /** Null if the post is not read again. */
  nextInMs: number | null
  keepsPoint: boolean
}

const toRow = ({
  userId,
  postId,
  accountId,
  counts,
  missing,
  error,
  presence,
  nextInMs,
  keepsPoint,
}: StoredReading) => ({
  user_id: userId,
  post_id: postId,
  account_id: accountId,
  counts,
  missing: missing ?? {},
  error: error ?? null,
  presence,
  next_in_ms: nextInMs,
  keeps_point: keepsPoint,
})

/** Whether a webhook of the user, or one of all users, names the event. A webhook for all types does not. */
const isSubscribed = (userId: RawBuilder<unknown>) => sql`exists (
  select from webhooks
  where (webhooks.user_id = ${userId} or webhooks.all_users) and webhooks.disabled_at is null
    and webhooks.types && array['metrics.updated', 'metrics.*'])`

/**
 * Stores readings and the point of the day of each, and writes events of numbers that have changed. A post that two
 * readings in a row did not find, at least `confirmMs` apart, is gone: the delivery's trigger writes the event.
 */
export async function storeReadings(
  db: Db,
  readings: readonly StoredReading[],
  { confirmMs, now }: { confirmMs: number; now: Now },
): Promise<void> {
  await sql`
    with item as (
      select item.*, before.counts as counts_before, before.gone_at as unseen_since,
        target.state = 'removed' as is_removed
      from jsonb_to_recordset(${JSON.stringify(readings.map(toRow))}::jsonb) as item(
        user_id uuid, post_id uuid, account_id uuid, counts jsonb, missing jsonb, error jsonb, presence text,
        next_in_ms float8, keeps_point boolean)
      join delivery_metrics as before
        on before.user_id = item.user_id and before.post_id = item.post_id and before.account_id = item.account_id
      join post_targets as target
        on target.user_id = item.user_id and target.post_id = item.post_id and target.account_id = item.account_id
    ),
    stored as (
      update delivery_metrics as metrics
      set attempted_at = ${at(now)},
        checked_at = case when item.presence = 'not_asked' then metrics.checked_at else ${at(now)} end,
        fetched_at = case when item.counts is null then metrics.fetched_at else ${at(now)} end,
        counts = coalesce(item.counts, metrics.counts),
        missing = case when item.counts is null then metrics.missing else item.missing end,
        error = case when item.presence = 'not_asked' then coalesce(item.error, metrics.error) else item.error end,
        gone_at = case item.presence when 'unseen' then coalesce(metrics.gone_at, ${at(now)})
          when 'seen' then null else metrics.gone_at end,
        -- The reading may have begun before the post was removed.
        next_at = case when not item.is_removed then ${at(now)} + item.next_in_ms * interval '1 ms' end
      from item
      where metrics.user_id = item.user_id and metrics.post_id = item.post_id
        and metrics.account_id = item.account_id
      returning metrics.user_id, metrics.post_id, metrics.account_id, metrics.counts,
        item.counts is not null and item.keeps_point as keeps_point, metrics.counts <> item.counts_before as has_changed,
        item.presence, metrics.next_at, metrics.gone_at,
        case when item.presence = 'unseen' and item.unseen_since <= ${after(now, -confirmMs)} then true
          when item.presence = 'seen' then false end as is_gone
    ),
    noted as (
      update post_targets as target
      set gone_at = case when stored.is_gone then stored.gone_at end, changed_at = clock_timestamp()
      from stored
      where target.user_id = stored.user_id and target.post_id = stored.post_id
        and target.account_id = stored.account_id and (target.gone_at is not null) <> stored.is_gone
        -- A post that was taken down is gone as its owner wanted.
        and target.state not in ('removing', 'removed')
    ),
    -- The end of a turn sets its next one. After a failure, the account rests.
    hastened as (
      update metric_turns as turn set next_at = least(turn.next_at, unseen.next_at)
      from (select account_id, min(next_at) as next_at from stored where presence = 'unseen' group by account_id) as unseen
      where turn.account_id = unseen.account_id and turn.lease_token is null and turn.failures = 0
        and unseen.next_at < coalesce(turn.next_at, 'infinity')
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
