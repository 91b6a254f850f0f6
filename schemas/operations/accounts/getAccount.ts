import { Account, AccountPath } from '../../account.ts'
import { errorResponse } from '../../error.ts'
import { ACCOUNT_VERSIONS } from '../../precondition.ts'
import { EmptyResponse, JsonResponse } from '../../shared.ts'
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
  headers: ACCOUNT_VERSIONS.IfNoneMatchHeaders,
  success: {
    200: {
      ...JsonResponse(Account, 'The account.', { account: Account.examples[0] }),
      ...ACCOUNT_VERSIONS.ETAG_HEADERS,
    },
    304: EmptyResponse('The account is as it was at the `ETag` that you sent.', ACCOUNT_VERSIONS.ETAG_HEADERS.headers),
  },
  errors: [errorResponse('You cannot post to an account with this id.', ['account_not_found'])],
  sdk: 'accounts.get',
})
