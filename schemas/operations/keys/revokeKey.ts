import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ApiKeyPath } from '../../key.ts'
import { scopeName } from '../../messages.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { notFoundResponse } from './common.ts'

export const revokeKey = defineOperation({
  method: 'DELETE',
  path: '/keys/:id',
  scope: 'keys:manage',
  operationId: 'revokeKey',
  tag: 'keys',
  summary: 'Revoke a key',
  description:
    'Ends one of your keys for good. Each process rejects it within a second. Webhooks that it has created go on; those of a connected app are deleted. A key may revoke itself, and keys that allow no more than it does, in scopes and accounts. A body is ignored.',
  params: ApiKeyPath,
  success: { 200: JsonResponse(Deleted, 'The key is revoked.', { revoked: Deleted.examples[0] }) },
  errors: [
    errorResponse('The key allows more than the key of the request.', [
      errorOf('api_key_too_wide.changed', scopeName('media:write')),
    ]),
    notFoundResponse,
  ],
  sdk: 'keys.revoke',
})
