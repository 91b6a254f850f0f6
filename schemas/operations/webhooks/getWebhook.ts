import { JsonResponse } from '../../shared.ts'
import { Webhook, WebhookPath } from '../../webhook.ts'
import { defineOperation } from '../define-operation.ts'
import { WEBHOOK, webhookNotFoundResponse } from './common.ts'

export const getWebhook = defineOperation({
  method: 'GET',
  path: '/webhooks/:id',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  operationId: 'getWebhook',
  tag: 'webhooks',
  summary: 'Get a webhook',
  description: 'Returns one of your webhooks, without its secret.',
  params: WebhookPath,
  success: { 200: JsonResponse(Webhook, 'The webhook.', { webhook: WEBHOOK }) },
  errors: [webhookNotFoundResponse],
  sdk: 'webhooks.get',
})
