import { CREATE_CONNECTION_EXAMPLES, CreateConnection, CreatedConnection, noKeyResponse } from '../../connection.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../../idempotency.ts'
import { SERVER_REQUIRED } from '../../messages.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const createConnection = defineOperation({
  method: 'POST',
  path: '/connections',
  scope: 'accounts:connect',
  operationId: 'createConnection',
  tag: 'connections',
  summary: 'Begin a connection',
  description: `Returns the \`url\` of a link. Send the user there: the link leads to the page of the network where the user consents. It works once, in one browser, for 15 minutes.

Read the outcome with \`getConnection\` until the state is \`connected\`, \`failed\` or \`expired\`. The return of the browser to your \`returnUrl\` proves nothing: people close pages, and change addresses.

An account that you have connected before keeps its id and its posts. Accounts with credentials, such as bots, are connected with \`connectAccount\`.

Consent may be partial: on TikTok, a user can deny single permissions. Without one that publishing needs, the connection fails.

Workers refresh access tokens before they expire. LinkedIn allows this to approved apps only: without it, connect the account again every 60 days. Google ends those of an app in testing after 7 days: its operator has to publish the app. \`attention\` of the account warns 7 days before, and says when a refresh was refused.

A network needs an app: the demo has none until \`putApp\` stores one.`,
  headers: IdempotencyHeaders,
  body: Body(CreateConnection, {
    x: CREATE_CONNECTION_EXAMPLES.x,
    mastodon: CREATE_CONNECTION_EXAMPLES.mastodon,
    returnUrl: CREATE_CONNECTION_EXAMPLES.returnUrl,
    reconnect: CREATE_CONNECTION_EXAMPLES.reconnect,
    manual: CREATE_CONNECTION_EXAMPLES.manual,
  }),
  success: {
    201: {
      ...JsonResponse(CreatedConnection, 'The connection was begun.', { created: CreatedConnection.examples[0] }),
      ...REPLAY_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema, `accountId` belongs to another network, or `hint` has to name a server. Without: the network cannot be connected by OAuth, it has no app, the server registers none, or `returnUrl` is not listed.',
      {
        otherPlatform: {
          code: 'custom',
          path: ['accountId'],
          message: 'The account is on bluesky, not on x',
        },
        noServer: { code: 'custom', path: ['hint'], message: SERVER_REQUIRED },
      },
      [
        errorOf('platform_not_supported', 'telegram'),
        errorOf('app_missing', 'x'),
        'return_url_not_allowed',
        errorOf('platform_refused', 'mastodon: www.example.com is not a Mastodon server'),
      ],
    ),
    errorResponse(
      'You are not an admin of this organisation, cannot post to this account, or are neither its owner nor an admin of its organisation, or it does not exist.',
      [
        errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
        'not_organization_admin',
        errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
        'not_account_owner.connected',
      ],
    ),
    errorResponse('With `manual`, or on Mastodon: the network could not be reached. Retry later.', [
      errorOf(
        'platform_unavailable',
        'x: api.x.com does not resolve to a public address: check its spelling (ENOTFOUND)',
      ),
    ]),
    noKeyResponse,
  ],
  sdk: 'connections.create',
})
