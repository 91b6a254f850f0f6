import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  type Issue,
  invalidPageResponse,
  invalidRequestResponse,
  unavailableResponse,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { HTTPS_REQUIRED, NO_URL_CREDENTIALS } from '../messages.ts'
import { Body, Deleted, JsonResponse, PageQuery } from '../shared.ts'
import {
  CREATE_WEBHOOK_EXAMPLES,
  CreateWebhook,
  ROTATE_WEBHOOK_SECRET_EXAMPLES,
  RotateWebhookSecret,
  UPDATE_WEBHOOK_EXAMPLES,
  UpdateWebhook,
  WEBHOOKS_MAX,
  Webhook,
  WebhookList,
  WebhookPath,
  WebhookWithSecret,
} from '../webhook.ts'
import { defineOperation } from './define-operation.ts'

const [WEBHOOK] = Webhook.examples
const [WITH_SECRET] = WebhookWithSecret.examples

export const webhookNotFoundResponse = {
  404: errorResponse('Your key sees no webhook with this id.', { notFound: errorOf('webhook_not_found') }),
}

const urlIssue = (message: string): Issue => ({ code: 'custom', path: ['url'], message })

const invalidWebhookResponse = invalidRequestResponse(
  'The body does not match its schema, or nothing can be sent to `url`.',
  { notHttps: urlIssue(HTTPS_REQUIRED), urlWithPassword: urlIssue(NO_URL_CREDENTIALS) },
  { privateAddress: errorOf('url_not_public') },
)

const NOT_READABLE = { typeNotReadable: errorOf('webhook_too_wide', 'key.created') } as const

const notReadableResponse = errorResponse('The webhook gets events that your key may not read.', NOT_READABLE)

const tooWideResponse = errorResponse('The webhook would get events that your key may not read.', {
  ...NOT_READABLE,
  noAccount: errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
})

const keyringErrors = {
  503: unavailableResponse(' Or the operator has to set or correct `CREDENTIALS_KEY`, which encrypts secrets.', {
    noCredentialsKey: errorOf('credentials_key_missing'),
    otherCredentialsKey: errorOf('credentials_key_mismatch'),
  }),
}

const ONCE =
  'The secret is in this response alone, and takes no `Idempotency-Key`: it is stored encrypted, and not for a replay.'

export const createWebhook = defineOperation({
  method: 'POST',
  url: '/webhooks',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'createWebhook',
    tags: ['webhooks'],
    summary: 'Create a webhook',
    description: `Sends your events to a URL from now on. It gets what your key may read, then and later: the key's scopes limit its types, and a list of accounts limits its accounts. A user has up to ${WEBHOOKS_MAX} webhooks. ${ONCE} If the response is lost, find the webhook with \`listWebhooks\`, delete it, and create another one.`,
    body: Body(CreateWebhook, CREATE_WEBHOOK_EXAMPLES),
    response: {
      201: JsonResponse(WebhookWithSecret, 'The webhook was created.', { created: WITH_SECRET }),
      400: invalidWebhookResponse,
      403: tooWideResponse,
      409: errorResponse('You have as many webhooks as a user may have.', {
        tooMany: errorOf('webhook_limit', WEBHOOKS_MAX),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
      ...keyringErrors,
    },
  },
})

export const listWebhooks = defineOperation({
  method: 'GET',
  url: '/webhooks',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'listWebhooks',
    tags: ['webhooks'],
    summary: 'List webhooks',
    description:
      'Returns a page of your webhooks, newest first. A key with a list of accounts sees those that get events of these accounts alone.',
    querystring: PageQuery,
    response: {
      200: JsonResponse(WebhookList, 'One page of your webhooks.', { page: WebhookList.examples[0] }),
      400: invalidPageResponse,
      ...commonErrors,
    },
  },
})

export const getWebhook = defineOperation({
  method: 'GET',
  url: '/webhooks/:id',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'getWebhook',
    tags: ['webhooks'],
    summary: 'Get a webhook',
    description: 'Returns one of your webhooks, without its secret.',
    params: WebhookPath,
    response: {
      200: JsonResponse(Webhook, 'The webhook.', { webhook: WEBHOOK }),
      ...webhookNotFoundResponse,
      ...commonErrors,
    },
  },
})

export const updateWebhook = defineOperation({
  method: 'PATCH',
  url: '/webhooks/:id',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'updateWebhook',
    tags: ['webhooks'],
    summary: 'Change, enable or disable a webhook',
    description:
      'Changes what a webhook gets and where it is sent. A new URL holds for deliveries that are pending too; an attempt that has begun goes to the old one. Your key must be allowed to read all that the webhook gets.',
    params: WebhookPath,
    body: Body(UpdateWebhook, UPDATE_WEBHOOK_EXAMPLES),
    response: {
      200: JsonResponse(Webhook, 'The changed webhook.', { changed: WEBHOOK }),
      400: invalidWebhookResponse,
      403: tooWideResponse,
      ...webhookNotFoundResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const deleteWebhook = defineOperation({
  method: 'DELETE',
  url: '/webhooks/:id',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'deleteWebhook',
    tags: ['webhooks'],
    summary: 'Delete a webhook',
    description:
      'Deletes a webhook for good, with the deliveries that are pending. An attempt that has begun may still arrive. A body is ignored.',
    params: WebhookPath,
    response: {
      200: JsonResponse(Deleted, 'The webhook is deleted.', { deleted: Deleted.examples[0] }),
      ...webhookNotFoundResponse,
      ...commonErrors,
    },
  },
})

export const rotateWebhookSecret = defineOperation({
  method: 'POST',
  url: '/webhooks/:id/rotate-secret',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  config: { hasOptionalBody: true },
  schema: {
    operationId: 'rotateWebhookSecret',
    tags: ['webhooks'],
    summary: 'Replace the secret of a webhook',
    description: `Creates a secret in place of the present one. For \`overlapSeconds\`, both sign each event, so that receivers can change to the new one at any time. A second rotation in this time is a 409, unless \`force\` ends the older secret. ${ONCE} If the response is lost, rotate again with \`force\`.`,
    params: WebhookPath,
    body: Body(RotateWebhookSecret, ROTATE_WEBHOOK_SECRET_EXAMPLES),
    response: {
      200: JsonResponse(WebhookWithSecret, 'The webhook with its new secret.', { rotated: WITH_SECRET }),
      400: invalidRequestResponse('The body does not match its schema.', {
        wrongOverlap: {
          ...{ code: 'invalid_type', expected: 'integer', received: 'string', path: ['overlapSeconds'] },
          message: 'Expected integer, received string',
        },
      }),
      403: notReadableResponse,
      ...webhookNotFoundResponse,
      409: errorResponse('Two secrets are valid already.', { rotated: errorOf('webhook_secret_rotated') }),
      ...bodyTooLargeResponse,
      ...commonErrors,
      ...keyringErrors,
    },
  },
})

export const deletePreviousWebhookSecret = defineOperation({
  method: 'DELETE',
  url: '/webhooks/:id/previous-secret',
  scope: 'webhooks:manage',
  takesAccountLists: true,
  schema: {
    operationId: 'deletePreviousWebhookSecret',
    tags: ['webhooks'],
    summary: 'End the previous secret of a webhook',
    description: 'After a rotation, ends the previous secret before its time. A body is ignored.',
    params: WebhookPath,
    response: {
      200: JsonResponse(Deleted, 'The previous secret signs nothing any more.', { deleted: Deleted.examples[0] }),
      403: notReadableResponse,
      404: errorResponse('Your key sees no webhook with this id, or it has no previous secret.', {
        notFound: errorOf('webhook_not_found'),
        noPrevious: errorOf('webhook_secret_not_found'),
      }),
      ...commonErrors,
      ...keyringErrors,
    },
  },
})
