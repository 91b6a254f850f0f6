import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { noOrganizationResponse } from '../../people.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { CREATE_WEBHOOK_EXAMPLES, CreateWebhook, WEBHOOKS_MAX, WebhookWithSecret } from '../../webhook.ts'
import { defineOperation } from '../define-operation.ts'
import { invalidWebhookResponse, keyringErrors, ONCE, tooWideResponse, WITH_SECRET } from './common.ts'

export const createWebhook = defineOperation({
  method: 'POST',
  path: '/webhooks',
  scope: 'webhooks:manage',
  conditionalScope: { scope: 'admin', when: 'with `allUsers` or `organizationId`' },
  takesAccountLists: true,
  operationId: 'createWebhook',
  tag: 'webhooks',
  summary: 'Create a webhook',
  description: `Sends your events to a URL from now on. It gets what your key may read, then and later: the key's scopes limit its types, and a list of accounts limits its accounts. With \`allUsers\` or \`organizationId\`, a program that serves many customers gets the events of all of them at one URL, with one secret. A user has up to ${WEBHOOKS_MAX} webhooks. ${ONCE} If the response is lost, find the webhook with \`listWebhooks\`, delete it, and create another one.`,
  body: Body(CreateWebhook, CREATE_WEBHOOK_EXAMPLES),
  success: { 201: JsonResponse(WebhookWithSecret, 'The webhook was created.', { created: WITH_SECRET }) },
  errors: [
    invalidWebhookResponse,
    tooWideResponse,
    noOrganizationResponse,
    errorResponse('You have as many webhooks as a user may have.', [errorOf('webhook_limit', WEBHOOKS_MAX)]),
    keyringErrors,
  ],
  sdk: 'webhooks.create',
})
