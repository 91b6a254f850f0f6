import { BUDGET_EXAMPLES, Budget, PutBudget } from '../../budget.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { ApiKeyPath } from '../../key.ts'
import { scopeName } from '../../messages.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { notFoundResponse, typeIssue } from './common.ts'

export const putKeyBudget = defineOperation({
  method: 'PUT',
  path: '/keys/:id/budget',
  scope: 'keys:manage',
  operationId: 'putKeyBudget',
  tag: 'keys',
  summary: 'Set the budget of a key',
  description: `Limits what the posts of a key may cost in a calendar month in UTC, beside the budgets of their accounts: see \`putAccountBudget\`. The posts of a key are those that it created, and those that it was the last to schedule or retry. Removals and edits count for the key that requests them.

A key that replaces another one shares its budget, and so do the keys that a key with a budget creates. A key with a budget sets none, not even its own.`,
  params: ApiKeyPath,
  body: Body(PutBudget, BUDGET_EXAMPLES),
  success: { 200: JsonResponse(Budget, 'The budget after the change.', { budget: Budget.examples[0] }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      notInteger: typeIssue('limitUsdMicros', 'integer', 'number'),
    }),
    errorResponse('The key of the request has a budget, or fewer rights than the other one.', [
      'budget_limited',
      errorOf('api_key_too_wide.changed', scopeName('posts:publish')),
    ]),
    notFoundResponse,
  ],
  sdk: 'keys.putBudget',
})
