import { Type } from '@sinclair/typebox'
import { AccountPath } from '../account.ts'
import { commonErrors, errorResponse } from '../error.ts'
import { errorOf } from '../errors.ts'
import { Platform, PlatformList, PlatformPath } from '../platform-detail.ts'
import { EmptyResponse, JsonResponse } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const HEADERS = {
  ETag: { type: 'string', description: 'The version of the response, for `If-None-Match`.' },
  'Cache-Control': { type: 'string', description: 'How long the response may be used without asking again.' },
}

const IfNoneMatchHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({ description: 'The `ETag` that you already have. The response is 304 where it still matches.' }),
  ),
})

const notModified = { 304: EmptyResponse('Nothing has changed since the `ETag` that you sent.', HEADERS) }

const KEEP =
  'Keep the response, and send its `ETag` as `If-None-Match`: the response is 304 without a body until a limit changes.'

export const listPlatforms = defineOperation({
  method: 'GET',
  url: '/platforms',
  scope: 'accounts:read',
  takesAccountLists: true,
  schema: {
    operationId: 'listPlatforms',
    tags: ['platforms'],
    summary: 'List networks and their limits',
    description: `Returns what each network accepts: the limits of texts and files for each type of post, \`fields\` as JSON Schema, how accounts are connected, how fast posts are accepted, and what happens where a response of the network is lost. \`createPost\` and \`validatePost\` check posts against exactly these limits. The list has no pages.\n\n${KEEP}`,
    headers: IfNoneMatchHeaders,
    response: {
      200: {
        ...JsonResponse(PlatformList, 'All networks.', { platforms: PlatformList.examples[0] }),
        headers: HEADERS,
      },
      ...notModified,
      ...commonErrors,
    },
  },
})

export const getPlatform = defineOperation({
  method: 'GET',
  url: '/platforms/:platform',
  scope: 'accounts:read',
  takesAccountLists: true,
  schema: {
    operationId: 'getPlatform',
    tags: ['platforms'],
    summary: 'Get the limits of a network',
    description: `Returns what one network accepts, as in \`listPlatforms\`. An account may have limits of its own: see \`getAccountLimits\`.\n\n${KEEP}`,
    params: PlatformPath,
    headers: IfNoneMatchHeaders,
    response: {
      200: { ...JsonResponse(Platform, 'The network.', { platform: Platform.examples[0] }), headers: HEADERS },
      ...notModified,
      404: errorResponse('There is no network with this id.', {
        notFound: errorOf('platform_not_found'),
      }),
      ...commonErrors,
    },
  },
})

export const getAccountLimits = defineOperation({
  method: 'GET',
  url: '/accounts/:id/limits',
  scope: 'accounts:read',
  takesAccountLists: true,
  schema: {
    operationId: 'getAccountLimits',
    tags: ['platforms'],
    summary: 'Get the limits of an account',
    description: `Returns what the network of an account accepts, with the limits of the account itself put in: the maximum length of texts that its Mastodon server allows, which \`textLengthMax\` of the account shows too. Such a \`max\` has the \`maxSource\` \`null\`.\n\n${KEEP}`,
    params: AccountPath,
    headers: IfNoneMatchHeaders,
    response: {
      200: {
        ...JsonResponse(Platform, 'The network, as it is for this account.', { platform: Platform.examples[0] }),
        headers: HEADERS,
      },
      ...notModified,
      404: errorResponse('You cannot post to an account with this id.', {
        notFound: errorOf('account_not_found'),
      }),
      ...commonErrors,
    },
  },
})
