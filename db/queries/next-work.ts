import { type RawBuilder, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import { movableClocks } from './sandbox-clocks.ts'
import { fromWaitingWebhooks, waitingWebhooks } from './webhooks/claim.ts'

/** Milliseconds until work of each kind is due, 0 or less if it is; null without such work. */
export interface NextWork {
  deliveries: number | null
  changes: number | null
  events: number | null
  words: number | null
  refreshes: number | null
  webhooks: number | null
  metrics: number | null
  renditions: number | null
  clocks: number | null
}

/** Credentials that are due first, of which other workers may have some. */
const REFRESHES_MAX = 100

// Postgres 16 subtracts no infinity.
const msUntil = (time: RawBuilder<unknown>) => sql`
  (select case when isfinite(time) then extract(epoch from time - now()) * 1000 end::float8
    from (select ${time} as time) as next)`

const nowIf = (rows: RawBuilder<unknown>) => sql`(select 0::float8 where exists (${rows}))`

/**
 * Reads what the claims of workers would look at first, each at one end of an index. It takes the place of those claims
 * while there is nothing to do. A claim may find nothing all the same: an account rests, or another worker was faster.
 */
export const readNextWork = prepared<{ platforms: string[]; metricsAfterMs: number }, NextWork>(
  'read_next_work',
  (_db, value) => sql`
    with recursive ${waitingWebhooks}
    select
      coalesce(
        -- Parked deliveries are due, and wait for their accounts.
        ${nowIf(sql`select from post_targets where parked`)},
        ${msUntil(sql`(
          select min(first.claimable_at)
          from unnest(${value('platforms')}::text[]) as network(platform), lateral (
            select claimable_at from post_targets
            where platform = network.platform and not parked and claimable_at is not null
            order by claimable_at limit 1) as first)`)}) as deliveries,
      ${msUntil(sql`(select min(next_at) from delivery_changes)`)} as changes,
      ${nowIf(sql`select from event_outbox`)} as events,
      ${nowIf(sql`select from post_words_due`)} as words,
      ${msUntil(sql`(
        select min(greatest(refresh_at, refresh_lease_until))
        from (
          select refresh_at, refresh_lease_until from account_credentials
          where refresh_at is not null order by refresh_at limit ${sql.lit(REFRESHES_MAX)}) as first)`)} as refreshes,
      ${msUntil(sql`(
        select min(greatest(first.due_at, webhooks.rests_until, webhooks.leased_until)) ${fromWaitingWebhooks})`)}
        as webhooks,
      ${msUntil(sql`least(
        (select min(next_at) from metric_turns),
        -- The events of deliveries that were published are read in batches.
        (
          select numbered_at + ${value('metricsAfterMs')}::float8 * interval '1 ms' from events
          where global_position > (select position from metrics_cursor)
          order by global_position limit 1))`)} as metrics,
      ${msUntil(sql`(select min(claimable_at) from rendition_jobs)`)} as renditions,
      ${msUntil(movableClocks)} as clocks`,
)
