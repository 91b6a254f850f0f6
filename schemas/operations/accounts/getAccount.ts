import { Account, AccountPath } from '../../account.ts'
import { errorResponse } from '../../error.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getAccount = defineOperation({
  method: 'GET',
  path: '/accounts/:id',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'getAccount',
  tag: 'accounts',
  summary: 'Get an account',
  description: 'Returns one account that you can post to, as `listAccounts` does.',
  params: AccountPath,
  success: { 200: JsonResponse(Account, 'The account.', { account: Account.examples[0] }) },
  errors: [errorResponse('You cannot post to an account with this id.', ['account_not_found'])],
  sdk: 'accounts.get',
})
