import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ApiKeyPath, CreatedApiKey, ROTATE_KEY_EXAMPLES, RotateApiKey } from '../../key.ts'
import { ALL_SCOPES, LATER_EXPIRY, scopeName } from '../../messages.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { CREATED, KEY, notFoundResponse, ONCE, typeIssue } from './common.ts'

export const rotateKey = defineOperation({
  method: 'POST',
  path: '/keys/:id/rotate',
  scope: 'keys:manage',
  operationId: 'rotateKey',
  tag: 'keys',
  summary: 'Replace a key',
  description: `Creates a key that allows the same as this one and expires when this one would have expired. The old key stays valid for \`overlapSeconds\`, in which all programs can change to the new one. A key has one successor: a second rotation is a 409, unless the successor was revoked. ${ONCE}`,
  params: ApiKeyPath,
  body: Body(RotateApiKey, ROTATE_KEY_EXAMPLES),
  success: { 201: JsonResponse(CreatedApiKey, 'The new key.', { created: { ...CREATED, replaces: KEY.id } }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      wrongOverlap: typeIssue('overlapSeconds', 'integer', 'string'),
    }),
    errorResponse('The key allows more than the key of the request.', [
      errorOf('api_key_too_wide', ALL_SCOPES),
      errorOf('api_key_too_wide', scopeName('media:write')),
      errorOf('api_key_too_wide', LATER_EXPIRY),
    ]),
    notFoundResponse,
    errorResponse(
      'Another key replaces this one, or it is expired, or that of a connected app, or you have 500 active keys.',
      ['api_key_rotated', 'api_key_not_rotatable', 'api_key_not_rotatable.app', errorOf('api_key_limit', 500)],
    ),
  ],
  sdk: 'keys.rotate',
})
