import { Type } from '@sinclair/typebox'
import { ACCOUNT_EXAMPLES, AccountPath } from '../../account.ts'
import { BUDGET_EXAMPLES, Budget, PutBudget } from '../../budget.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const putAccountBudget = defineOperation({
  method: 'PUT',
  path: '/accounts/:id/budget',
  scope: 'accounts:connect',
  takesAccountLists: true,
  operationId: 'putAccountBudget',
  tag: 'accounts',
  summary: 'Set the budget of an account',
  description: `Limits what posts of the account may cost in a calendar month in UTC. The owner can do this, and an admin of its organisation; other members get 403. A key that has a budget itself sets none.

The price of an act is reserved before its call. If nothing was sent, it is given back. If the outcome is unknown, it stays reserved until the delivery is resolved. An act that the budget does not cover is not sent: the delivery fails with \`budget_used_up\`, and \`retryDeliveries\` sends it when the budget is raised, or in the next month. Removals and edits of published posts count too, where the network charges for them. So do readings of numbers with \`METRICS=paid\`: a post that the budget does not cover is not read.`,
  // On X: most networks charge nothing.
  params: Type.Object({ id: Type.String({ ...AccountPath.properties.id, examples: [ACCOUNT_EXAMPLES[1].id] }) }),
  body: Body(PutBudget, BUDGET_EXAMPLES),
  success: { 200: JsonResponse(Budget, 'The budget after the change.', { budget: Budget.examples[0] }) },
  errors: [
    invalidRequestResponse('The body does not match its schema, or the network charges nothing for posts.', {
      freeNetwork: {
        code: 'custom',
        path: ['limitUsdMicros'],
        message: 'Must be null: bluesky charges nothing for posts',
      },
    }),
    errorResponse(
      'You can post to the account through an organisation, but neither own it nor are an admin there; or the key has a budget.',
      ['not_account_owner.changed', 'budget_limited'],
    ),
    errorResponse('You cannot post to an account with this id.', ['account_not_found']),
  ],
  sdk: 'accounts.putBudget',
})
