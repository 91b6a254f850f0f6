import { AccountPath } from '../../account.ts'
import { errorResponse } from '../../error.ts'
import { Platform } from '../../platform-detail.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { HEADERS, IfNoneMatchHeaders, KEEP, notModified } from './common.ts'

export const getAccountLimits = defineOperation({
  method: 'GET',
  path: '/accounts/:id/limits',
  scope: 'accounts:read',
  takesAccountLists: true,
  operationId: 'getAccountLimits',
  tag: 'platforms',
  summary: 'Get the limits of an account',
  description: `Returns what the network of an account accepts, with the limits of the account itself put in. Each server with the API of Mastodon has its own limits: Postroom reads them when the account is connected, and once a day. \`server\` names the server, and the \`source\` of a limit that it states is its own page. The maximum length of its texts, which \`textLengthMax\` of the account shows too, has the \`maxSource\` \`null\`.\n\n${KEEP}`,
  params: AccountPath,
  headers: IfNoneMatchHeaders,
  success: {
    200: {
      ...JsonResponse(Platform, 'The network, as it is for this account.', { platform: Platform.examples[0] }),
      headers: HEADERS,
    },
    ...notModified,
  },
  errors: [errorResponse('You cannot post to an account with this id.', ['account_not_found'])],
  sdk: 'accounts.limits',
  tool: {
    name: 'get_limits',
    title: 'Get the limits of an account',
    description:
      'Returns what the network of an account accepts: the limits of texts and files for each type of post, and the options in fields. It is about 12 kB. To check a given post, call validate_post instead.',
  },
})
