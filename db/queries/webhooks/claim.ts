import { sql } from 'kysely'
import type { Event } from '../../../schemas/event.ts'
import type { Webhook } from '../../../schemas/webhook.ts'
import { each } from '../../batch.ts'
import type { Db } from '../../client.ts'
import { prepared } from '../../prepared.ts'
import { after, at, type Now } from '../clock.ts'
import type { CredentialsRow } from '../credentials.ts'
import { isoTime } from '../iso-time.ts'

/** A webhook that a worker holds: no other one sends to it until the lease expires. */
export interface ClaimedWebhook extends CredentialsRow {
  id: string
  userId: string
  url: string
  payload: Webhook['payload']
  /** Whether it gets the events of all users: each tells whose it is. */
  allUsers: boolean
  leaseToken: string
  hasPreviousSecret: boolean
  /** Since when no attempt has succeeded, how many have failed since then, and how many warnings were written. */
  failingSince: Date | null
  failures: number
  warnings: number
  /** When an attempt last succeeded, or the owner enabled it. Null if neither has happened. */
  healthyAt: Date | null
  isSlow: boolean
}

/** Whether a webhook is failing, slow or unproven. Such webhooks have slots of their own. */
const isSuspect = sql`(failing_since is not null or is_slow or healthy_at is null)`

const isFree = (now: ReturnType<typeof at>) => sql`
  webhooks.disabled_at is null
  and (webhooks.rests_until is null or webhooks.rests_until <= ${now})
  and (webhooks.leased_until is null or webhooks.leased_until <= ${now})`

/**
 * Webhooks with pending deliveries, as `waiting(id)` of a recursive query. It jumps from webhook to webhook in the
 * index of pending deliveries: one with many of them takes as long as one with few.
 */
export const waitingWebhooks = sql`
    waiting(id) as (
      (select webhook_id from webhook_deliveries where state = 'pending' order by webhook_id limit 1)
      union all
      select (
        select webhook_id from webhook_deliveries
        where state = 'pending' and webhook_id > waiting.id
        order by webhook_id limit 1)
      from waiting
      where waiting.id is not null
    )`

/** Those of them that are enabled, each with the delivery that is due first. */
export const fromWaitingWebhooks = sql`
      from waiting
      join webhooks on webhooks.id = waiting.id
      cross join lateral (
        select due_at from webhook_deliveries
        where webhook_id = webhooks.id and state = 'pending'
        order by due_at limit 1) as first
      where webhooks.disabled_at is null`

/** Those of them that a worker may claim. */
const fromDueWebhooks = (now: ReturnType<typeof at>) => sql`
      ${fromWaitingWebhooks} and first.due_at <= ${now} and ${isFree(now)}`

interface ClaimLimits {
  now: Now
  leaseMs: number
  /** How many webhooks it claims at most. */
  healthy: number
  suspect: number
  /** How many suspect webhooks of one user the process may hold. */
  suspectPerUser: number
  /** The users of those that it holds, once for each. */
  suspectUserIds: string[]
}

/**
 * Claims webhooks with deliveries that are due, those that have waited longest first. A webhook has one lease and not
 * one for each delivery, so that its worker alone limits how many attempts run at a time.
 */
export const claimWebhooks = prepared<ClaimLimits, ClaimedWebhook>('claim_webhooks', (_db, value) => {
  const now = at(value('now'))
  return sql`
    with recursive ${waitingWebhooks},
    found as materialized (
      select webhooks.id, ${isSuspect} as is_suspect, first.due_at,
        cardinality(array_positions(${value('suspectUserIds')}::uuid[], user_id))
          + row_number() over (partition by user_id, ${isSuspect} order by first.due_at) as of_user
      ${fromDueWebhooks(now)}
    ),
    due as (
      select id, is_suspect, row_number() over (partition by is_suspect order by due_at) as rank
      from found
      where not is_suspect or of_user <= ${value('suspectPerUser')}::integer
    ),
    chosen as (
      select webhooks.id
      from due join webhooks on webhooks.id = due.id
      where due.rank <= case when due.is_suspect then ${value('suspect')}::integer else ${value('healthy')}::integer end
        and ${isFree(now)}
      order by webhooks.id
      for no key update of webhooks skip locked
    )
    update webhooks
    set lease_token = gen_random_uuid(), leased_until = ${after(value('now'), value('leaseMs'))}
    from chosen
    where webhooks.id = chosen.id
    returning webhooks.id, user_id, url, payload, all_users, key_id, data_key, data, lease_token,
      coalesce(previous_expires_at > ${now}, false) as has_previous_secret,
      failing_since, failures, warnings, healthy_at, is_slow`
})

/**
 * Seconds for which the oldest due delivery has only waited for a worker: since it was due, and its webhook no longer
 * rested. Null if no delivery waits.
 */
export const readWebhooksDue = prepared<{ now: Now }, { seconds: number | null }>('read_webhooks_due', (_db, value) => {
  const now = at(value('now'))
  return sql`
    with recursive ${waitingWebhooks}
    select extract(epoch from ${now} - min(greatest(first.due_at, webhooks.rests_until)))::float8 as seconds
    ${fromDueWebhooks(now)}`
})

/** A delivery that is due, with its event. */
export interface DueDelivery {
  webhookId: string
  eventId: string
  run: number
  attempts: number
  queuedAt: Date
  /** Null if the event is no longer kept. */
  type: Event['type'] | null
  /** Whose event it is. */
  userId: string
  timestamp: string
  position: number
  postId: string | null
  accountIds: string[] | null
  data: Record<string, unknown>
}

const selectDue = prepared<{ webhookIds: string[]; limits: number[]; now: Now }, DueDelivery>(
  'read_due_webhook_deliveries',
  (_db, value) => sql`
    select delivery.webhook_id, delivery.event_id, delivery.run, delivery.attempts, delivery.queued_at,
      events.type, events.user_id, ${isoTime('events.occurred_at')} as timestamp, events.position, events.post_id,
      events.account_ids, events.data
    from unnest(${value('webhookIds')}::uuid[], ${value('limits')}::integer[]) as hook(id, rows)
    cross join lateral (
      select * from webhook_deliveries
      where webhook_id = hook.id and state = 'pending' and due_at <= ${at(value('now'))}
      order by due_at limit hook.rows) as delivery
    left join events on events.id = delivery.event_id`,
)

/** The deliveries of these webhooks that are due, at most `limit` of each, those that have waited longest first. */
export const readDueDeliveries = (db: Db, hooks: { id: string; limit: number }[], now: Now): Promise<DueDelivery[]> =>
  selectDue(db, { webhookIds: each(hooks, 'id'), limits: each(hooks, 'limit'), now })
