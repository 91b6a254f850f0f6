import { sql } from 'kysely'
import type { PlatformId } from '../../../schemas/platform.ts'
import { prepared } from '../../prepared.ts'
import { at, type Now } from '../clock.ts'

/** The most events that one statement looks at. */
export const EVENTS_MAX = 500

interface DiscoverValues {
  /** The networks that tell something. */
  platforms: PlatformId[]
  /** The age at which a post is read first, and from which it is not read any more. */
  firstAfterMs: number
  endsAfterMs: number
  limit: number
  now: Now
}

/**
 * Adds deliveries that were published since the last call, by their events. The events have an order in which none is
 * missed, and reading them costs publishing nothing. Returns how many events it looked at.
 */
export const discoverDeliveries = prepared<DiscoverValues, { count: number }>('discover_deliveries', (_db, value) => {
  const now = value('now')
  return sql`
    with cursor as (
      select position from metrics_cursor for no key update skip locked
    ),
    event as materialized (
      select global_position, user_id, type, post_id, account_ids[1] as account_id
      from events where global_position > (select position from cursor)
      order by global_position limit ${value('limit')}
    ),
    published as (
      select distinct target.user_id, target.post_id, target.account_id, target.platform,
        greatest(${at(now)}, target.published_at + ${value('firstAfterMs')}::float8 * interval '1 ms') as next_at
      from event
      join post_targets as target
        on target.user_id = event.user_id and target.post_id = event.post_id and target.account_id = event.account_id
      where event.type in ('delivery.published', 'delivery.resolved')
        and target.state <> 'removed'
        and target.published_at > ${at(now)} - ${value('endsAfterMs')}::float8 * interval '1 ms'
        and target.sent -> 0 ->> 'id' is not null and target.platform = any(${value('platforms')}::text[])
    ),
    added as (
      insert into delivery_metrics (user_id, post_id, account_id, next_at)
      select user_id, post_id, account_id, next_at from published
      order by user_id, post_id, account_id
      on conflict do nothing
    ),
    turn as (
      insert into metric_turns as turn (account_id, platform, next_at)
      select account_id, min(platform), min(next_at) from published group by account_id order by account_id
      on conflict (account_id) do update
      -- The end of a turn sets its next one. After a failure, the account rests.
      set next_at = case
        when turn.lease_token is not null or turn.failures > 0 then coalesce(turn.next_at, excluded.next_at)
        else least(coalesce(turn.next_at, 'infinity'), excluded.next_at) end
    ),
    moved as (
      update metrics_cursor set position = (select max(global_position) from event)
      where exists (select from event)
    )
    select count(*)::integer as count from event`
})
