import { sql } from 'kysely'
import type { WebhookErrorCode } from '../../../schemas/webhook-delivery.ts'
import { batched, type WithOrdinal } from '../../batch.ts'
import { prepared } from '../../prepared.ts'
import type { Now } from '../clock.ts'

/** The outcome of an attempt. */
interface SettledAttempt {
  webhookId: string
  eventId: string
  run: number
  state: 'pending' | 'delivered' | 'failed'
  /** Until the next attempt, if there is one. */
  retryInMs: number | null
  attemptedAt: Date
  durationMs: number
  responseStatus: number | null
  responseBody: string | null
  errorCode: WebhookErrorCode | null
  now: Now
}

const settleAll = prepared<{ items: string }, WithOrdinal>(
  'settle_webhook_deliveries',
  (_db, value) => sql`
    with item as (
      select * from jsonb_to_recordset(${value('items')}::jsonb) as item(
        ordinal integer, "webhookId" uuid, "eventId" uuid, run integer, state text, "retryInMs" float8,
        "attemptedAt" timestamptz, "durationMs" integer, "responseStatus" integer, "responseBody" text,
        "errorCode" text, now timestamptz)
    ),
    delivery as (
      select webhook_deliveries.webhook_id, webhook_deliveries.event_id
      from item join webhook_deliveries on webhook_id = item."webhookId" and event_id = item."eventId"
      order by webhook_id, event_id
      for no key update of webhook_deliveries
    )
    update webhook_deliveries as settled
    set state = item.state, attempts = settled.attempts + 1,
      due_at = case
        when item."retryInMs" is null then settled.due_at
        else coalesce(item.now, now()) + item."retryInMs" * interval '1 millisecond' end,
      attempted_at = item."attemptedAt", duration_ms = item."durationMs", response_status = item."responseStatus",
      response_body = item."responseBody", error_code = item."errorCode"
    from delivery
    join item on item."webhookId" = delivery.webhook_id and item."eventId" = delivery.event_id
    where settled.webhook_id = delivery.webhook_id and settled.event_id = delivery.event_id
      and settled.run = item.run and settled.state = 'pending'
    returning item.ordinal`,
)

/**
 * Stores the outcome of an attempt. Returns undefined if the delivery was queued again or settled since the attempt
 * began: it stays as it is.
 */
export const settleAttempt = batched<SettledAttempt, WithOrdinal>((db, attempts) =>
  settleAll(db, { items: JSON.stringify(attempts.map((attempt, index) => ({ ...attempt, ordinal: index + 1 }))) }),
)

/** The columns that a worker writes when it gives back a webhook. */
export interface ReleasedWebhook {
  id: string
  leaseToken: string
  failingSince: Date | null
  failures: number
  warnings: number
  healthyAt: Date | null
  isSlow: boolean
  /** Null if the next delivery may be sent when it is due. */
  restMs: number | null
  disabledReason: 'failing' | 'gone' | null
  /** An event that it leads to, as its type and its data beside the id. */
  event: { type: 'webhook.failing' | 'webhook.disabled'; data: object } | null
  now: Now
}

const releaseAll = prepared<{ items: string }, WithOrdinal>(
  'release_webhooks',
  (_db, value) => sql`
    with item as (
      select * from jsonb_to_recordset(${value('items')}::jsonb) as item(
        ordinal integer, id uuid, "leaseToken" uuid, "failingSince" timestamptz, failures integer, warnings integer,
        "healthyAt" timestamptz, "isSlow" boolean, "restMs" float8, "disabledReason" text, event jsonb, now timestamptz)
    ),
    released as (
      update webhooks
      set lease_token = null, leased_until = null, failing_since = item."failingSince", failures = item.failures,
        warnings = item.warnings, healthy_at = item."healthyAt", is_slow = item."isSlow",
        rests_until = coalesce(item.now, now()) + item."restMs" * interval '1 millisecond',
        disabled_reason = item."disabledReason",
        disabled_at = case when item."disabledReason" is not null then coalesce(item.now, now()) end
      from item
      where webhooks.id = item.id and webhooks.lease_token = item."leaseToken"
      returning item.ordinal, webhooks.id, webhooks.user_id, item.event
    ),
    announced as (
      insert into event_outbox (user_id, type, data)
      select user_id, event ->> 'type', jsonb_build_object('webhookId', id) || (event -> 'data')
      from released
      where jsonb_typeof(event) = 'object'
    )
    select ordinal from released`,
)

/**
 * Gives back a webhook, with what its attempts say about it. Returns undefined if the lease was lost: to another
 * worker, or because the owner changed its state or deleted it.
 */
export const releaseWebhook = batched<ReleasedWebhook, WithOrdinal>((db, hooks) =>
  releaseAll(db, { items: JSON.stringify(hooks.map((hook, index) => ({ ...hook, ordinal: index + 1 }))) }),
)
