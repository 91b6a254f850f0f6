import { errorResponse } from '../../error.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { WebhookPath } from '../../webhook.ts'
import { defineOperation } from '../define-operation.ts'
import { keyringErrors, notReadableResponse } from './common.ts'

export const deletePreviousWebhookSecret = defineOperation({
  method: 'DELETE',
  path: '/webhooks/:id/previous-secret',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  operationId: 'deletePreviousWebhookSecret',
  tag: 'webhooks',
  summary: 'End the previous secret of a webhook',
  description:
    'After a rotation, ends the previous secret before its time. The webhook of the demo has one after `rotateWebhookSecret`. A body is ignored.',
  params: WebhookPath,
  success: {
    200: JsonResponse(Deleted, 'The previous secret signs nothing any more.', { deleted: Deleted.examples[0] }),
  },
  errors: [
    notReadableResponse,
    errorResponse('Your key sees no webhook with this id, or it has no previous secret.', [
      'webhook_not_found',
      'webhook_secret_not_found',
    ]),
    keyringErrors,
  ],
  sdk: 'webhooks.endPreviousSecret',
})
