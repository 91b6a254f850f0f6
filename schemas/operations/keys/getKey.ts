import { ApiKey, ApiKeyPath } from '../../key.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { KEY, notFoundResponse } from './common.ts'

export const getKey = defineOperation({
  method: 'GET',
  path: '/keys/:id',
  scope: 'keys:manage',
  operationId: 'getKey',
  tag: 'keys',
  summary: 'Get a key',
  description: 'Returns one of your API keys, without its secret.',
  params: ApiKeyPath,
  success: { 200: JsonResponse(ApiKey, 'The key.', { key: KEY }) },
  errors: [notFoundResponse],
  sdk: 'keys.get',
})
