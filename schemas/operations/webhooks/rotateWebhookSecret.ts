import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { ROTATE_WEBHOOK_SECRET_EXAMPLES, RotateWebhookSecret, WebhookPath, WebhookWithSecret } from '../../webhook.ts'
import { defineOperation } from '../define-operation.ts'
import { keyringErrors, notReadableResponse, ONCE, WITH_SECRET, webhookNotFoundResponse } from './common.ts'

export const rotateWebhookSecret = defineOperation({
  method: 'POST',
  path: '/webhooks/:id/rotate-secret',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  hasOptionalBody: true,
  operationId: 'rotateWebhookSecret',
  tag: 'webhooks',
  summary: 'Replace the secret of a webhook',
  description: `Creates a secret in place of the present one. For \`overlapSeconds\`, both sign each event, so that receivers can change to the new one at any time. A second rotation in this time is a 409, unless \`force\` ends the older secret. ${ONCE} If the response is lost, rotate again with \`force\`.`,
  params: WebhookPath,
  body: Body(RotateWebhookSecret, ROTATE_WEBHOOK_SECRET_EXAMPLES),
  success: { 200: JsonResponse(WebhookWithSecret, 'The webhook with its new secret.', { rotated: WITH_SECRET }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      wrongOverlap: {
        code: 'invalid_type',
        expected: 'integer',
        received: 'string',
        path: ['overlapSeconds'],
        message: 'Expected integer, received string',
      },
    }),
    notReadableResponse,
    webhookNotFoundResponse,
    errorResponse('Two secrets are valid already.', ['webhook_secret_rotated']),
    keyringErrors,
  ],
  sdk: 'webhooks.rotateSecret',
})
