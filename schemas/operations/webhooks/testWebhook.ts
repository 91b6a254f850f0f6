import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { WebhookPath } from '../../webhook.ts'
import { QueuedEvents, TEST_WEBHOOK_EXAMPLES, TestWebhook } from '../../webhook-delivery.ts'
import { defineOperation } from '../define-operation.ts'
import { webhookNotFoundResponse } from './common.ts'

export const testWebhook = defineOperation({
  method: 'POST',
  path: '/webhooks/:id/test',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  hasOptionalBody: true,
  operationId: 'testWebhook',
  tag: 'webhooks',
  summary: 'Send a test event',
  description:
    'Sends a `webhook.test` to a webhook, even if its types exclude it, or the example of another type. `listWebhookDeliveries` shows the response of the receiver.',
  params: WebhookPath,
  body: Body(TestWebhook, TEST_WEBHOOK_EXAMPLES),
  success: { 202: JsonResponse(QueuedEvents, 'The test is going to be sent.', { queued: QueuedEvents.examples[0] }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      unknownKey: {
        code: 'unrecognized_keys',
        keys: ['event'],
        path: [],
        message: "Unrecognized key(s) in object: 'event'",
      },
    }),
    webhookNotFoundResponse,
    errorResponse('The webhook is disabled.', ['webhook_disabled']),
  ],
  sdk: 'webhooks.test',
})
