import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { findPlaceBefore, readBounds } from '../../../db/queries/events/read.ts'
import {
  filterEvents,
  type LoggedDelivery,
  listWebhookDeliveries,
  queueEvents,
  queueRange,
} from '../../../db/queries/webhooks/deliveries.ts'
import { writeTestEvent } from '../../../db/queries/webhooks/test-event.ts'
import type { WebhookRow } from '../../../db/queries/webhooks/webhooks.ts'
import { FROM_OR_EVENTS, NEEDS_FROM } from '../../../schemas/messages.ts'
import { timeOf } from '../../../schemas/time.ts'
import type {
  ListWebhookDeliveriesQuery,
  QueuedEvents,
  RedeliverEvents,
  TestWebhook,
  WebhookDelivery,
} from '../../../schemas/webhook-delivery.ts'
import { fail, invalidRequest } from '../../base/errors.ts'
import { truncate } from '../../base/http/json.ts'
import { readPage } from '../../base/http/paging.ts'
import type { Manager } from './context.ts'
import { readWebhook } from './manage.ts'

/** A page of what was sent to a webhook. */
export async function listDeliveries(db: Db, manager: Manager, id: string, query: ListWebhookDeliveriesQuery) {
  const { state: states = null, eventId = null } = query
  const page = await readPage(query, async (page) => {
    const { id: webhookId } = await readWebhook(db, manager, id)
    return listWebhookDeliveries(db, { webhookId, states, eventId, ...page })
  })
  return { ...page, data: page.data.map(toDelivery) }
}

const toDelivery = ({ id: _, responseStatus, responseBody, errorCode, ...row }: LoggedDelivery): WebhookDelivery => ({
  ...row,
  response: responseStatus === null ? null : { status: responseStatus, body: responseBody ?? '' },
  error: errorCode as WebhookDelivery['error'],
})

/** Records a test event, which only this webhook gets. */
export async function testWebhook(db: Db, manager: Manager, id: string, { type }: TestWebhook): Promise<void> {
  const row = await readWebhook(db, manager, id)
  if (row.disabledReason !== null) throw fail('webhook_disabled')
  await writeTestEvent(db, { userId: manager.userId, webhookId: row.id, sample: type ?? null })
}

/** How many events a request by time looks at. */
const EVENTS_MAX = 1_000

/** Queues events for a webhook again: these, or those of a time. */
export async function redeliver(db: Db, manager: Manager, id: string, body: RedeliverEvents): Promise<QueuedEvents> {
  requireOneForm(body)
  const webhook = await readWebhook(db, manager, id)
  const { id: webhookId, allUsers } = webhook
  if (body.eventIds)
    return { queued: await redeliverThese(db, webhookId, [...new Set(body.eventIds)]), nextCursor: null }
  const userId = allUsers ? null : manager.userId
  const { onlyFailed = true } = body
  const after = body.cursor === undefined ? await placeOf(db, userId, timeOf(body.from!)) : Number(body.cursor)
  const before = body.before === undefined ? null : timeOf(body.before)
  const range = { webhookId, userId, after, before, onlyFailed, limit: EVENTS_MAX }
  const { queued, last, ...counts } = await queueRange(db, range)
  const nextCursor = last === null ? null : String(last)
  if (queued > 0) return { queued, nextCursor }
  const later = nextCursor === null ? '' : '. Later events were not looked at: send nextCursor as cursor'
  return { queued, nextCursor, reason: explainNone(webhook, counts, body) + later }
}

/** The reason why the events that a request by time has looked at are not queued. */
function explainNone(
  webhook: WebhookRow,
  { seen, wanted }: { seen: number; wanted: number },
  { cursor }: RedeliverEvents,
): string {
  if (seen === 0) return `There are no ${cursor ? 'more ' : ''}events in this time, or they are no longer kept`
  if (wanted === 0) return `The webhook gets none of the ${seen} events that were looked at: ${nameFilters(webhook)}`
  return `All ${wanted} events that the webhook gets were delivered: send onlyFailed: false to send them again`
}

/** The reason why a webhook does not get an event. Its types are always within the scopes of its key. */
function nameFilters({ types, accountIds, organizationId, scopes }: WebhookRow): string {
  const filters = { types, accountIds, organizationId }
  const names = Object.entries(filters).flatMap(([name, value]) => (value === null ? [] : [`its ${name}`]))
  if (types === null && scopes !== null) names.push('the scopes of its key')
  return names.length > 0 ? `see ${names.join(' and ')}` : 'they test other webhooks'
}

/** The place before the first event of a time. */
async function placeOf(db: Db, userId: string | null, from: Date): Promise<number> {
  return findPlaceBefore(db, { userId, from, ...(await readBounds(db, { userId, after: null })) })
}

async function redeliverThese(db: Db, webhookId: string, ids: string[]): Promise<number> {
  const found = await filterEvents(db, webhookId, ids.filter(isId))
  const missing = ids.find((id) => !found.includes(id))
  if (missing !== undefined) throw fail('webhook_event_not_found', truncate(missing))
  return queueEvents(db, webhookId, ids)
}

function requireOneForm({ eventIds, from, before, onlyFailed, cursor }: RedeliverEvents): void {
  const issue = (path: string[], message: string) => invalidRequest([{ code: 'custom', path, message }])
  if ((eventIds === undefined) === (from === undefined)) throw issue([], FROM_OR_EVENTS)
  if (from !== undefined) return
  const [needless] = Object.entries({ before, onlyFailed, cursor }).find(([, value]) => value !== undefined) ?? []
  if (needless !== undefined) throw issue([needless], NEEDS_FROM)
}
