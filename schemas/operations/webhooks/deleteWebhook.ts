import { Deleted, JsonResponse } from '../../shared.ts'
import { WebhookPath } from '../../webhook.ts'
import { defineOperation } from '../define-operation.ts'
import { webhookNotFoundResponse } from './common.ts'

export const deleteWebhook = defineOperation({
  method: 'DELETE',
  path: '/webhooks/:id',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  operationId: 'deleteWebhook',
  tag: 'webhooks',
  summary: 'Delete a webhook',
  description:
    'Deletes a webhook for good, with the deliveries that are pending. An attempt that has begun may still arrive. A body is ignored.',
  params: WebhookPath,
  success: { 200: JsonResponse(Deleted, 'The webhook is deleted.', { deleted: Deleted.examples[0] }) },
  errors: [webhookNotFoundResponse],
  sdk: 'webhooks.delete',
})
