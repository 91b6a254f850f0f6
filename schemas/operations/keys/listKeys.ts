import { ApiKeyList } from '../../key.ts'
import { JsonResponse, PageQuery } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listKeys = defineOperation({
  method: 'GET',
  path: '/keys',
  scope: 'keys:manage',
  operationId: 'listKeys',
  tag: 'keys',
  summary: 'List keys',
  description:
    'Returns a page of your API keys, newest first. Expired keys are listed, revoked ones are not. Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages.',
  query: PageQuery,
  success: { 200: JsonResponse(ApiKeyList, 'One page of your keys.', { page: ApiKeyList.examples[0] }) },
  sdk: 'keys.list',
})
