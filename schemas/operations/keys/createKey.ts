import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { CREATE_KEY_EXAMPLES, CreateApiKey, CreatedApiKey } from '../../key.ts'
import { EXPIRED_FROM_THE_START, LATER_EXPIRY, scopeName, scopeWithAccounts } from '../../messages.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { CREATED, ONCE, typeIssue } from './common.ts'

export const createKey = defineOperation({
  method: 'POST',
  path: '/keys',
  scope: 'keys:manage',
  operationId: 'createKey',
  tag: 'keys',
  summary: 'Create a key',
  description: `Creates an API key that acts for you. It can allow only what the key of the request allows, and not for longer. You can have 500 active keys, those of connected apps included. ${ONCE}`,
  body: Body(CreateApiKey, CREATE_KEY_EXAMPLES),
  success: { 201: JsonResponse(CreatedApiKey, 'The key was created.', { created: CREATED }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      missingScopes: typeIssue('scopes', 'array', 'undefined'),
      scopeWithAccounts: {
        code: 'custom',
        path: ['accountIds'],
        message: scopeWithAccounts('keys:manage'),
      },
      expiredFromTheStart: EXPIRED_FROM_THE_START,
    }),
    errorResponse('The key would allow more than the key of the request.', [
      errorOf('api_key_too_wide', scopeName('media:write')),
      errorOf('api_key_too_wide', LATER_EXPIRY),
      'api_key_too_wide.admin',
      errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
    ]),
    errorResponse('You have as many keys as a user may have.', [errorOf('api_key_limit', 500)]),
  ],
  sdk: 'keys.create',
})
