import { Type } from '@sinclair/typebox'
import { errorResponse } from '../../error.ts'
import { noUserResponse, OTHER_USER_ID, User, UserPath } from '../../people.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const deleteUser = defineOperation({
  method: 'DELETE',
  path: '/users/:id',
  scope: 'admin',
  operationId: 'deleteUser',
  tag: 'tenants',
  summary: 'Delete a user',
  description:
    'Deletes a user with all posts, files, accounts and keys, for good. The networks keep what was published. An account that the user shares with an organisation passes to another member.\n\nWhen the response arrives, all keys are revoked and nothing is sent any more. Tokens of the accounts that nobody keeps are revoked as by `disconnectAccount`. Posts and files are then deleted in the background, which may take minutes: until then, `getUser` still returns the user. If the process is stopped meanwhile, repeat the request. A body is ignored.',
  params: Type.Object({ id: { ...UserPath.properties.id, examples: [OTHER_USER_ID] } }),
  success: { 202: JsonResponse(User, 'The user is being deleted.', { user: User.examples[0] }) },
  errors: [noUserResponse, errorResponse('The key of the request acts for this user.', ['own_user'])],
  sdk: 'users.delete',
})
