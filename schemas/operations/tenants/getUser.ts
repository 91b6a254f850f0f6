import { noUserResponse, User, UserPath } from '../../people.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getUser = defineOperation({
  method: 'GET',
  path: '/users/:id',
  scope: 'admin',
  operationId: 'getUser',
  tag: 'tenants',
  summary: 'Get a user',
  description: 'Returns one user.',
  params: UserPath,
  success: { 200: JsonResponse(User, 'The user.', { user: User.examples[0] }) },
  errors: [noUserResponse],
  sdk: 'users.get',
})
