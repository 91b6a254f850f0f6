import { ListUsersQuery, NEXT, UserList } from '../../people.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listUsers = defineOperation({
  method: 'GET',
  path: '/users',
  scope: 'admin',
  operationId: 'listUsers',
  tag: 'tenants',
  summary: 'List users',
  description: `Returns a page of all users, or of those that a filter finds, newest first. ${NEXT}`,
  query: ListUsersQuery,
  success: { 200: JsonResponse(UserList, 'One page of users.', { page: UserList.examples[0] }) },
  sdk: 'users.list',
})
