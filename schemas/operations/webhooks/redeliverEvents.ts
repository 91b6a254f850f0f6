import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { EVENT_ID } from '../../event.ts'
import { FROM_OR_EVENTS } from '../../messages.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { WebhookPath } from '../../webhook.ts'
import { QueuedEvents, REDELIVER_EXAMPLES, RedeliverEvents } from '../../webhook-delivery.ts'
import { defineOperation } from '../define-operation.ts'

export const redeliverEvents = defineOperation({
  method: 'POST',
  path: '/webhooks/:id/redeliver',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  operationId: 'redeliverEvents',
  tag: 'webhooks',
  summary: 'Send events again',
  description: `Queues events for a webhook, of those that it gets: up to 100 by their ids, delivered ones too, or those of a time that were not delivered. After a webhook was disabled, send its \`failingSince\` as \`from\`. While it is disabled, they wait until it is enabled.

A request by time looks at up to 1,000 events. Repeat it with \`nextCursor\` as \`cursor\` until it is \`null\`. Repeating a request is safe: the receiver knows an event by its id.`,
  params: WebhookPath,
  body: Body(RedeliverEvents, REDELIVER_EXAMPLES),
  success: {
    202: JsonResponse(QueuedEvents, 'The events are going to be sent. If none is, `reason` says why.', {
      queued: QueuedEvents.examples[0],
      none: QueuedEvents.examples[1],
    }),
  },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      bothForms: { code: 'custom', path: [], message: FROM_OR_EVENTS },
    }),
    errorResponse('Your key sees no webhook with this id, or the webhook gets no event with one of the ids.', [
      'webhook_not_found',
      errorOf('webhook_event_not_found', EVENT_ID),
    ]),
  ],
  sdk: 'webhooks.redeliver',
})
