import { errorResponse, invalidRequestResponse, unavailableResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../../idempotency.ts'
import { CREATE_KEY_EXAMPLES, CreateApiKey, CreatedApiKey } from '../../key.ts'
import { EXPIRED_FROM_THE_START, LATER_EXPIRY } from '../../messages.ts'
import { missing, noUserResponse, UserPath } from '../../people.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const createUserKey = defineOperation({
  method: 'POST',
  path: '/users/:id/keys',
  scope: 'admin',
  operationId: 'createUserKey',
  tag: 'tenants',
  summary: 'Create a key for a user',
  description:
    'Creates an API key that acts for the user, with any scopes but `admin`. A user can have 500 active keys. Without `expiresAt`, it expires when the key of the request does. The secret is in this response alone. If the response is lost, send the request again with the same `Idempotency-Key`: for 24 hours, the response is kept encrypted. A service without `CREDENTIALS_KEY` keeps none: a repeated request then creates no second key, and gets 409. Without the response, find the key with `listUserKeys`, revoke it, and create another one.',
  params: UserPath,
  headers: IdempotencyHeaders,
  body: Body(CreateApiKey, CREATE_KEY_EXAMPLES),
  success: {
    201: {
      ...JsonResponse(CreatedApiKey, 'The key was created.', { created: CreatedApiKey.examples[0] }),
      ...REPLAY_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      missingScopes: missing('scopes'),
      expiredFromTheStart: EXPIRED_FROM_THE_START,
    }),
    errorResponse('The key would have the scope `admin`, or outlive the key of the request.', [
      'api_key_too_wide.admin',
      errorOf('api_key_too_wide', LATER_EXPIRY),
      errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
    ]),
    noUserResponse,
    errorResponse('The user has as many keys as one may have, or the secret of a repeated request was not kept.', [
      errorOf('api_key_limit', 500),
      'secret_not_kept',
    ]),
    unavailableResponse(
      ' Or the request is repeated, and the operator has to correct `CREDENTIALS_KEY`, which encrypts the kept response.',
      ['credentials_key_mismatch'],
    ),
  ],
  sdk: 'users.createKey',
})
