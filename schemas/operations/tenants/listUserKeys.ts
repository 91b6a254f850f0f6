import { ApiKeyList } from '../../key.ts'
import { NEXT, noUserResponse, UserPath } from '../../people.ts'
import { JsonResponse, PageQuery } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listUserKeys = defineOperation({
  method: 'GET',
  path: '/users/:id/keys',
  scope: 'admin',
  operationId: 'listUserKeys',
  tag: 'tenants',
  summary: 'List the keys of a user',
  description: `Returns a page of the API keys of a user, newest first, without those that are revoked. ${NEXT}`,
  params: UserPath,
  query: PageQuery,
  success: { 200: JsonResponse(ApiKeyList, 'One page of keys.', { page: ApiKeyList.examples[0] }) },
  errors: [noUserResponse],
  sdk: 'users.listKeys',
})
