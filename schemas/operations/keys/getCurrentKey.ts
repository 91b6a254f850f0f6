import { CURRENT_KEY_EXAMPLE, CurrentApiKey } from '../../key.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getCurrentKey = defineOperation({
  method: 'GET',
  path: '/key',
  scope: null,
  operationId: 'getCurrentKey',
  tag: 'keys',
  summary: 'Get the key of the request',
  description:
    'Returns the API key of the request: its user with the name, its scopes and accounts, and its expiry. Every valid key may call this.',
  success: { 200: JsonResponse(CurrentApiKey, 'The key.', { key: CURRENT_KEY_EXAMPLE }) },
  sdk: 'keys.current',
})
