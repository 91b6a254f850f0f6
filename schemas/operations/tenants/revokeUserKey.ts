import { errorResponse } from '../../error.ts'
import { UserKeyPath } from '../../people.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const revokeUserKey = defineOperation({
  method: 'DELETE',
  path: '/users/:id/keys/:keyId',
  scope: 'admin',
  operationId: 'revokeUserKey',
  tag: 'tenants',
  summary: 'Revoke a key of a user',
  description: 'Ends a key of a user for good. Each process rejects it within a second. A body is ignored.',
  params: UserKeyPath,
  success: { 200: JsonResponse(Deleted, 'The key is revoked.', { revoked: Deleted.examples[0] }) },
  errors: [errorResponse('The user has no key with this id, or there is no such user.', ['api_key_not_found'])],
  sdk: 'users.revokeKey',
})
