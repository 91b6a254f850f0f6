import { Body, JsonResponse } from '../../shared.ts'
import { UPDATE_WEBHOOK_EXAMPLES, UpdateWebhook, Webhook, WebhookPath } from '../../webhook.ts'
import { defineOperation } from '../define-operation.ts'
import { invalidWebhookResponse, tooWideResponse, WEBHOOK, webhookNotFoundResponse } from './common.ts'

export const updateWebhook = defineOperation({
  method: 'PATCH',
  path: '/webhooks/:id',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  operationId: 'updateWebhook',
  tag: 'webhooks',
  summary: 'Change, enable or disable a webhook',
  description:
    'Changes what a webhook gets and where it is sent. A new URL holds for deliveries that are pending too; an attempt that has begun goes to the old one. Your key must be allowed to read all that the webhook gets.',
  params: WebhookPath,
  body: Body(UpdateWebhook, UPDATE_WEBHOOK_EXAMPLES),
  success: { 200: JsonResponse(Webhook, 'The changed webhook.', { changed: WEBHOOK }) },
  errors: [invalidWebhookResponse, tooWideResponse, webhookNotFoundResponse],
  sdk: 'webhooks.update',
})
