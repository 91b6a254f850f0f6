import { ApiKey } from '../../key.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { KEY } from './common.ts'

export const getCurrentKey = defineOperation({
  method: 'GET',
  path: '/key',
  scope: null,
  operationId: 'getCurrentKey',
  tag: 'keys',
  summary: 'Get the key of the request',
  description:
    'Returns the API key of the request: its user, its scopes and accounts, and its expiry. Every valid key may call this.',
  success: { 200: JsonResponse(ApiKey, 'The key.', { key: KEY }) },
  sdk: 'keys.current',
})
