import { AccountPath } from '../../account.ts'
import { Budget } from '../../budget.ts'
import { errorResponse } from '../../error.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getAccountBudget = defineOperation({
  method: 'GET',
  path: '/accounts/:id/budget',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'getAccountBudget',
  tag: 'accounts',
  summary: 'Get the budget of an account',
  description:
    'Returns what posts of the account may cost in this month, and what they have cost so far. `prices` in `listPlatforms` says which networks charge for posts.',
  params: AccountPath,
  success: { 200: JsonResponse(Budget, 'The budget.', { budget: Budget.examples[0] }) },
  errors: [errorResponse('You cannot post to an account with this id.', ['account_not_found'])],
  sdk: 'accounts.getBudget',
})
