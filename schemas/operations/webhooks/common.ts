import { errorResponse, type Issue, invalidRequestResponse, unavailableResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { HTTPS_REQUIRED, NO_URL_CREDENTIALS } from '../../messages.ts'
import { Webhook, WebhookWithSecret } from '../../webhook.ts'

export const [WEBHOOK] = Webhook.examples

export const [WITH_SECRET] = WebhookWithSecret.examples

export const webhookNotFoundResponse = errorResponse('Your key sees no webhook with this id.', ['webhook_not_found'])

const urlIssue = (message: string): Issue => ({ code: 'custom', path: ['url'], message })

export const invalidWebhookResponse = invalidRequestResponse(
  'The body does not match its schema, or nothing can be sent to `url`.',
  { notHttps: urlIssue(HTTPS_REQUIRED), urlWithPassword: urlIssue(NO_URL_CREDENTIALS) },
  ['url_not_public'],
)

const NOT_READABLE = [errorOf('webhook_too_wide', 'key.created')] as const

export const notReadableResponse = errorResponse('The webhook gets events that your key may not read.', NOT_READABLE)

export const tooWideResponse = errorResponse('The webhook would get events that your key may not read.', [
  ...NOT_READABLE,
  errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
])

export const keyringErrors = unavailableResponse(
  ' Or the operator has to set or correct `CREDENTIALS_KEY`, which encrypts secrets.',
  ['credentials_key_missing', 'credentials_key_mismatch'],
)

export const ONCE =
  'The secret is in this response alone, and takes no `Idempotency-Key`: it is stored encrypted, and not for a replay.'
