import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ApiKey, ApiKeyPath, UPDATE_KEY_EXAMPLES, UpdateApiKey } from '../../key.ts'
import { accountName, LATER_EXPIRY, scopeName } from '../../messages.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { KEY, notFoundResponse, typeIssue } from './common.ts'

export const updateKey = defineOperation({
  method: 'PATCH',
  path: '/keys/:id',
  scope: 'keys:manage',
  operationId: 'updateKey',
  tag: 'keys',
  summary: 'Rename or narrow a key',
  description:
    'Changes the name of one of your keys, takes scopes or accounts away from it, or lets it expire earlier. Each process obeys within a second. A key never gets more than it has: create another one for that. A key that allows more than the key of the request, in scopes or accounts, cannot be changed.',
  params: ApiKeyPath,
  body: Body(UpdateApiKey, UPDATE_KEY_EXAMPLES),
  success: { 200: JsonResponse(ApiKey, 'The changed key.', { changed: KEY }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      wrongName: typeIssue('name', 'string', 'number'),
    }),
    errorResponse('The key would allow more than before, or allows more than the key of the request.', [
      errorOf('api_key_too_wide.changed', scopeName('media:write')),
      errorOf('api_key_too_wide.widened', scopeName('media:write')),
      errorOf('api_key_too_wide.widened', LATER_EXPIRY),
      errorOf('api_key_too_wide.widened', accountName('0196f0c4-9a3d-7b15-8e20-5d7f41a6c893')),
    ]),
    notFoundResponse,
  ],
  sdk: 'keys.update',
})
