import { AccountList, ListAccountsQuery } from '../../account.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { OTHER_NAME_SAMPLES } from '../../other-names.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listAccounts = defineOperation({
  method: 'GET',
  path: '/accounts',
  scope: 'accounts:read',
  takesAccountLists: true,
  ignoresUnknownQuery: true,
  operationId: 'listAccounts',
  tag: 'accounts',
  summary: 'List accounts',
  description: `Returns every account that you can post to: your own accounts and those of the organisations that you belong to. Disconnected accounts are not listed. The list has no pages: \`limit\`, \`offset\` and \`cursor\` are ignored. Filters apply together.

\`attention\` says why the owner of an account has to act: posts cannot be published to it at the moment or, with the code \`expiring\`, soon cannot. Posts for such an account are accepted all the same. Rejected credentials appear there after the first post that fails because of them. They disappear when a post is published again or the account is connected again.

Unknown query parameters are ignored, except for one whose name is almost that of a filter, or that other APIs have for paging and filters (400): ${OTHER_NAME_SAMPLES} and others.`,
  query: ListAccountsQuery,
  success: { 200: JsonResponse(AccountList, 'Your active accounts.', { accounts: AccountList.examples[0] }) },
  errors: [
    invalidRequestResponse(
      'A filter is malformed, or a parameter has almost the name of one, or a name that other APIs have.',
      {
        nameOfAnotherApi: {
          code: 'unrecognized_keys',
          keys: ['page'],
          path: [],
          message: "Unrecognized parameter 'page': the list has no pages, and returns everything",
        },
      },
    ),
    errorResponse('You do not belong to the organisation in `organizationId`.', [
      errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
    ]),
  ],
  sdk: 'accounts.list',
  tool: {
    title: 'List accounts',
    description:
      'Returns the social accounts that you can post to, with their ids. attention says why nothing can be published to an account at the moment, or soon cannot.',
  },
})
