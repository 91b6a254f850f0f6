import { invalidRequestResponse, LIMIT_TOO_BIG } from '../../error.ts'
import { JsonResponse } from '../../shared.ts'
import { WebhookPath } from '../../webhook.ts'
import { ListWebhookDeliveriesQuery, WebhookDeliveryList } from '../../webhook-delivery.ts'
import { defineOperation } from '../define-operation.ts'
import { webhookNotFoundResponse } from './common.ts'

export const listWebhookDeliveries = defineOperation({
  method: 'GET',
  path: '/webhooks/:id/deliveries',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  operationId: 'listWebhookDeliveries',
  tag: 'webhooks',
  summary: 'List the deliveries of a webhook',
  description:
    'Returns a page of the deliveries of a webhook: the event of each, its state, and the last response of the receiver. Deliveries are kept for 30 days.',
  params: WebhookPath,
  query: ListWebhookDeliveriesQuery,
  success: {
    200: JsonResponse(WebhookDeliveryList, 'One page of deliveries.', { page: WebhookDeliveryList.examples[0] }),
  },
  errors: [
    invalidRequestResponse('A parameter has an invalid value.', { limitTooBig: LIMIT_TOO_BIG }),
    webhookNotFoundResponse,
  ],
  sdk: 'webhooks.deliveries',
})
