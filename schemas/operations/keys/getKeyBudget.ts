import { Budget } from '../../budget.ts'
import { ApiKeyPath } from '../../key.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { notFoundResponse } from './common.ts'

export const getKeyBudget = defineOperation({
  method: 'GET',
  path: '/keys/:id/budget',
  scope: 'keys:manage',
  operationId: 'getKeyBudget',
  tag: 'keys',
  summary: 'Get the budget of a key',
  description:
    'Returns what the posts of the key may cost in this month, and what they have cost so far. Keys that share a budget have the same amounts.',
  params: ApiKeyPath,
  success: { 200: JsonResponse(Budget, 'The budget.', { budget: Budget.examples[0] }) },
  errors: [notFoundResponse],
  sdk: 'keys.getBudget',
})
