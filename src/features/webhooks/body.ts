import { type EventRow, toEvent } from '../../../db/queries/events/read.ts'
import type { ClaimedWebhook, DueDelivery } from '../../../db/queries/webhooks/claim.ts'
import { EVENTS } from '../../../schemas/event.ts'
import { EVENT_BYTES_MAX } from './timing.ts'

/** The body of a webhook: the event. A large one lacks its metadata. Null if the event is no longer kept. */
export function writeBody(
  delivery: DueDelivery,
  { payload, allUsers }: Pick<ClaimedWebhook, 'payload' | 'allUsers'>,
): string | null {
  const { type, eventId: id } = delivery
  if (type === null) return null
  const event = {
    ...sampleOf({ ...delivery, type, id }, allUsers),
    id,
    timestamp: delivery.timestamp,
    position: delivery.position,
    ...(allUsers && { userId: delivery.userId }),
  }
  if (payload === 'thin') return JSON.stringify({ ...event, data: onlyIds(event.data) })
  const body = JSON.stringify(event)
  if (Buffer.byteLength(body) <= EVENT_BYTES_MAX) return body
  return JSON.stringify({ ...event, data: { ...event.data, metadata: undefined } })
}

/** The event, or the example that a test of the webhook asks for. */
function sampleOf(row: EventRow, hasUser: boolean) {
  const { sample } = row.data as { sample?: string }
  const example = EVENTS.map(({ examples }) => examples[0]).find(({ type }) => type === sample)
  return row.type === 'webhook.test' && example ? example : toEvent(row, hasUser)
}

const IDS = /^(?:postId|accountId|accountIds|keyId|webhookId)$/

const onlyIds = (data: object) => Object.fromEntries(Object.entries(data).filter(([key]) => IDS.test(key)))
