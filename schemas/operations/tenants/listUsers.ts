import { UserList } from '../../people.ts'
import { JsonResponse, PageQuery } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { NEXT } from './common.ts'

export const listUsers = defineOperation({
  method: 'GET',
  path: '/users',
  scope: 'admin',
  operationId: 'listUsers',
  tag: 'tenants',
  summary: 'List users',
  description: `Returns a page of all users, newest first. ${NEXT}`,
  query: PageQuery,
  success: { 200: JsonResponse(UserList, 'One page of users.', { page: UserList.examples[0] }) },
  sdk: 'users.list',
})
