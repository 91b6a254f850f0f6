import { bodyTooLargeResponse, commonErrors, errorResponse, invalidRequestResponse, LIMIT_TOO_BIG } from '../error.ts'
import { errorOf } from '../errors.ts'
import { EVENT_ID } from '../event.ts'
import { FROM_OR_EVENTS } from '../messages.ts'
import { Body, JsonResponse } from '../shared.ts'
import { WebhookPath } from '../webhook.ts'
import {
  ListWebhookDeliveriesQuery,
  QueuedEvents,
  REDELIVER_EXAMPLES,
  RedeliverEvents,
  TEST_WEBHOOK_EXAMPLES,
  TestWebhook,
  WebhookDeliveryList,
} from '../webhook-delivery.ts'
import { defineOperation } from './define-operation.ts'
import { webhookNotFoundResponse } from './webhooks.ts'

export const testWebhook = defineOperation({
  method: 'POST',
  url: '/webhooks/:id/test',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  config: { hasOptionalBody: true },
  schema: {
    operationId: 'testWebhook',
    tags: ['webhooks'],
    summary: 'Send a test event',
    description:
      'Sends a `webhook.test` to a webhook, even if its types exclude it, or the example of another type. `listWebhookDeliveries` shows the response of the receiver.',
    params: WebhookPath,
    body: Body(TestWebhook, TEST_WEBHOOK_EXAMPLES),
    response: {
      202: JsonResponse(QueuedEvents, 'The test is going to be sent.', { queued: QueuedEvents.examples[0] }),
      400: invalidRequestResponse('The body does not match its schema.', {
        unknownKey: {
          ...{ code: 'unrecognized_keys', keys: ['event'], path: [] },
          message: "Unrecognized key(s) in object: 'event'",
        },
      }),
      ...webhookNotFoundResponse,
      409: errorResponse('The webhook is disabled.', { disabled: errorOf('webhook_disabled') }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const listWebhookDeliveries = defineOperation({
  method: 'GET',
  url: '/webhooks/:id/deliveries',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'listWebhookDeliveries',
    tags: ['webhooks'],
    summary: 'List the deliveries of a webhook',
    description:
      'Returns a page of the deliveries of a webhook: the event of each, its state, and the last response of the receiver. Deliveries are kept for 30 days.',
    params: WebhookPath,
    querystring: ListWebhookDeliveriesQuery,
    response: {
      200: JsonResponse(WebhookDeliveryList, 'One page of deliveries.', { page: WebhookDeliveryList.examples[0] }),
      400: invalidRequestResponse('A parameter has an invalid value.', { limitTooBig: LIMIT_TOO_BIG }),
      ...webhookNotFoundResponse,
      ...commonErrors,
    },
  },
})

export const redeliverEvents = defineOperation({
  method: 'POST',
  url: '/webhooks/:id/redeliver',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'redeliverEvents',
    tags: ['webhooks'],
    summary: 'Send events again',
    description: `Queues events for a webhook, of those that it gets: up to 100 by their ids, delivered ones too, or those of a time that were not delivered. After a webhook was disabled, send its \`failingSince\` as \`from\`. While it is disabled, they wait until it is enabled.

A request by time looks at up to 1,000 events. Repeat it with \`nextCursor\` as \`cursor\` until it is \`null\`. Repeating a request is safe: the receiver knows an event by its id.`,
    params: WebhookPath,
    body: Body(RedeliverEvents, REDELIVER_EXAMPLES),
    response: {
      202: JsonResponse(QueuedEvents, 'The events are going to be sent.', { queued: QueuedEvents.examples[0] }),
      400: invalidRequestResponse('The body does not match its schema.', {
        bothForms: { code: 'custom', path: [], message: FROM_OR_EVENTS },
      }),
      404: errorResponse('Your key sees no webhook with this id, or the webhook gets no event with one of the ids.', {
        notFound: errorOf('webhook_not_found'),
        eventNotFound: errorOf('webhook_event_not_found', EVENT_ID),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})
