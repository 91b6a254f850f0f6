import { invalidRequestResponse } from '../../error.ts'
import { noUserResponse, UpdateUser, User, UserPath } from '../../people.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

const [rename, forget] = UpdateUser.examples

export const updateUser = defineOperation({
  method: 'PATCH',
  path: '/users/:id',
  scope: 'admin',
  operationId: 'updateUser',
  tag: 'tenants',
  summary: 'Change a user',
  description: 'Changes the name of a user, or your own name for the user.',
  params: UserPath,
  body: Body(UpdateUser, { rename, forget }),
  success: { 200: JsonResponse(User, 'The user after the change.', { user: User.examples[0] }) },
  errors: [
    noUserResponse,
    invalidRequestResponse('The body does not match its schema.', {
      wrongName: {
        code: 'invalid_type',
        expected: 'string',
        received: 'number',
        path: ['name'],
        message: 'Expected string, received number',
      },
    }),
  ],
  sdk: 'users.update',
})
