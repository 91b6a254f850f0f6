import { type RawBuilder, sql } from 'kysely'
import type { WebhookDelivery } from '../../../schemas/webhook-delivery.ts'
import type { Db } from '../../client.ts'
import { findStream } from '../events/stream.ts'
import { isoTime } from '../iso-time.ts'
import { isOneOf } from '../one-of.ts'
import type { Page } from '../page.ts'
import { getsEvent } from './matching.ts'

export interface LoggedDelivery extends Omit<WebhookDelivery, 'response' | 'error'> {
  /** The id of the event, for paging. */
  id: string
  responseStatus: number | null
  responseBody: string | null
  errorCode: string | null
}

interface LogPage extends Omit<Page, 'userId'> {
  webhookId: string
  /** Null for all states. */
  states: string[] | null
  eventId: string | null
}

/** A page of the deliveries of a webhook, newest event first. */
export async function listWebhookDeliveries(
  db: Db,
  { webhookId, cursor, limit, offset, states, eventId }: LogPage,
): Promise<LoggedDelivery[]> {
  const { rows } = await sql<LoggedDelivery>`
    select delivery.event_id as id, delivery.event_id, events.type, delivery.state, delivery.attempts,
      ${isoTime('delivery.queued_at')} as queued_at,
      ${isoTime('delivery.attempted_at')} as attempted_at,
      case when delivery.state = 'pending' then ${isoTime('delivery.due_at')} end as next_attempt_at,
      delivery.duration_ms, delivery.response_status, delivery.response_body, delivery.error_code
    from (
      select * from webhook_deliveries
      where webhook_id = ${webhookId} and event_id < ${cursor}::uuid
        ${states === null ? sql`` : sql`and ${isOneOf('state', states)}`}
        ${eventId === null ? sql`` : sql`and event_id = ${eventId}`}
      order by event_id desc limit ${limit} offset ${offset}) as delivery
    left join events on events.id = delivery.event_id
    order by delivery.event_id desc`.execute(db)
  return rows
}

const REQUEUED = sql`
  state = 'pending', run = webhook_deliveries.run + 1, queued_at = now(), due_at = now(), attempts = 0`

/** Which of these events the webhook gets. */
export async function filterEvents(db: Db, webhookId: string, eventIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select event.id
    from webhooks
    join events as event
      on event.id = any(${eventIds}::uuid[]) and (webhooks.all_users or event.user_id = webhooks.user_id)
    where webhooks.id = ${webhookId} and ${getsEvent('webhooks', 'event')}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Queues events for a webhook, delivered ones too. */
export async function queueEvents(db: Db, webhookId: string, eventIds: string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into webhook_deliveries (webhook_id, event_id)
    select ${webhookId}::uuid, id from unnest(${eventIds}::uuid[]) as event(id) order by id
    on conflict (webhook_id, event_id) do update set ${REQUEUED}`.execute(db)
  return Number(numAffectedRows)
}

interface Range {
  webhookId: string
  /** Null for the events of all users. */
  userId: string | null
  /** Events after this place in the stream. */
  after: number
  before: Date | RawBuilder<Date> | null
  /** Whether events that were delivered are left out. */
  onlyFailed: boolean
  /** How many events are looked at. */
  limit: number
}

interface RangeResult {
  /** The events that were looked at. */
  seen: number
  /** Those that the webhook gets. */
  wanted: number
  queued: number
  last: number | null
}

/**
 * Queues the next events of a stream that the webhook gets. Returns how many, and the place of the last event that was
 * looked at: null if there are no more.
 */
export async function queueRange(
  db: Db,
  { webhookId, userId, after, before, onlyFailed, limit }: Range,
): Promise<RangeResult> {
  const { isOwn, place } = findStream(userId)
  const { rows } = await sql<RangeResult>`
    with seen as (
      select id, ${place} as place, type, account_ids, data from events
      where ${isOwn} and ${place} > ${after}::bigint
        and (${before}::timestamptz is null or numbered_at < ${before}::timestamptz)
      order by ${place} limit ${limit}
    ),
    queued as (
      insert into webhook_deliveries (webhook_id, event_id)
      select webhooks.id, event.id
      from webhooks
      cross join seen as event
      where webhooks.id = ${webhookId} and ${getsEvent('webhooks', 'event')}
        and not exists (
          select from webhook_deliveries as delivery
          where delivery.webhook_id = webhooks.id and delivery.event_id = event.id and delivery.state = 'delivered'
            and ${onlyFailed}::boolean)
      order by event.id
      on conflict (webhook_id, event_id) do update set ${REQUEUED} where webhook_deliveries.state <> 'delivered' or not ${onlyFailed}::boolean
      returning event_id
    )
    select (
        select count(*) from webhooks cross join seen as event
        where webhooks.id = ${webhookId} and ${getsEvent('webhooks', 'event')}
      )::integer as wanted,
      (select count(*) from queued)::integer as queued, (select count(*) from seen)::integer as seen,
      (select max(place) from seen)::float8 as last`.execute(db)
  const { last, ...counts } = rows[0]!
  return { ...counts, last: counts.seen < limit ? null : last }
}
