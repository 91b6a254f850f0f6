import {
  ChooseAccounts,
  CONNECTION_EXAMPLES,
  CompleteConnection,
  Connection,
  ConnectionPath,
  CREATE_CONNECTION_EXAMPLES,
  CreateConnection,
  CreatedConnection,
} from '../connection.ts'
import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  invalidRequestResponse,
  unavailableResponse,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { IdempotencyHeaders, keyReusedResponse, REPLAY_HEADERS } from '../idempotency.ts'
import { SERVER_REQUIRED } from '../messages.ts'
import { Body, Deleted, JsonResponse } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const notFoundResponse = {
  404: errorResponse('You have no connection with this id, or it is older than 24 hours.', {
    notFound: errorOf('connection_not_found'),
  }),
}

const noKeyResponse = {
  503: unavailableResponse(
    ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, so accounts cannot be connected. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`.',
    {
      noCredentialsKey: errorOf('credentials_key_missing'),
      otherCredentialsKey: errorOf('credentials_key_mismatch'),
    },
  ),
}

export const createConnection = defineOperation({
  method: 'POST',
  url: '/connections',
  scope: 'accounts:connect',
  schema: {
    operationId: 'createConnection',
    tags: ['connections'],
    summary: 'Begin a connection',
    description: `Returns the \`url\` of a link. Send the user there: the link leads to the page of the network where the user consents. It works once, in one browser, for 15 minutes.

Read the outcome with \`getConnection\` until the state is \`connected\`, \`failed\` or \`expired\`. Where the browser returns to your \`returnUrl\`, that alone proves nothing: people close pages, and change addresses.

An account that you have connected before keeps its id and its posts. Accounts with credentials, such as bots, are connected with \`connectAccount\`.

Consent may be partial: on TikTok, a user can deny single permissions. Without one that publishing needs, the connection fails.

Workers refresh access tokens before they expire. LinkedIn allows this to approved apps only: without it, connect the account again every 60 days. Google ends those of an app in testing after 7 days: its operator has to publish the app. \`attention\` of the account warns 7 days before, and says when a refresh was refused.`,
    headers: IdempotencyHeaders,
    body: Body(CreateConnection, {
      x: CREATE_CONNECTION_EXAMPLES.x,
      mastodon: CREATE_CONNECTION_EXAMPLES.mastodon,
      returnUrl: CREATE_CONNECTION_EXAMPLES.returnUrl,
      reconnect: CREATE_CONNECTION_EXAMPLES.reconnect,
      manual: CREATE_CONNECTION_EXAMPLES.manual,
    }),
    response: {
      201: {
        ...JsonResponse(CreatedConnection, 'The connection was begun.', { created: CreatedConnection.examples[0] }),
        ...REPLAY_HEADERS,
      },
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema, `accountId` belongs to another network, or `hint` has to name a server. Without: the network cannot be connected by OAuth, it has no app, the server registers none, or `returnUrl` is not listed.',
        {
          otherPlatform: {
            code: 'custom',
            path: ['accountId'],
            message: 'The account is on bluesky, not on x',
          },
          noServer: { code: 'custom', path: ['hint'], message: SERVER_REQUIRED },
        },
        {
          notSupported: errorOf('platform_not_supported', 'telegram'),
          noApp: errorOf('app_missing', 'x'),
          returnUrl: errorOf('return_url_not_allowed'),
          refused: errorOf('platform_refused', 'mastodon: www.example.com is not a Mastodon server'),
        },
      ),
      403: errorResponse(
        'You are not an admin of this organisation, cannot post to this account, or are neither its owner nor an admin of its organisation, or it does not exist.',
        {
          noOrganization: errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
          notAdmin: errorOf('not_organization_admin'),
          noAccount: errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
          notTheOwner: errorOf('not_account_owner.connected'),
        },
      ),
      ...keyReusedResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
      502: errorResponse('With `manual`, or on Mastodon: the network could not be reached. Retry later.', {
        unreachable: errorOf('platform_unavailable', 'x: api.x.com could not be reached (ENOTFOUND)'),
      }),
      ...noKeyResponse,
    },
  },
})

export const getConnection = defineOperation({
  method: 'GET',
  url: '/connections/:id',
  scope: 'accounts:connect',
  schema: {
    operationId: 'getConnection',
    tags: ['connections'],
    summary: 'Get a connection',
    description:
      'Returns a connection that you have begun in the last 24 hours: its state, the connected accounts, or why it failed.',
    params: ConnectionPath,
    response: {
      200: JsonResponse(Connection, 'The connection.', CONNECTION_EXAMPLES),
      ...notFoundResponse,
      ...commonErrors,
    },
  },
})

export const chooseAccounts = defineOperation({
  method: 'POST',
  url: '/connections/:id/choose',
  scope: 'accounts:connect',
  schema: {
    operationId: 'chooseAccounts',
    tags: ['connections'],
    summary: 'Choose accounts',
    description:
      'Connects some of the `choices` of a connection in the state `choosing`, all or none. The page that the browser shows does the same. A connection whose user does not choose in time expires, and the tokens are deleted.',
    params: ConnectionPath,
    body: Body(ChooseAccounts, { one: ChooseAccounts.examples[0] }),
    response: {
      200: JsonResponse(Connection, 'The accounts are connected.', { connected: CONNECTION_EXAMPLES.connected }),
      400: invalidRequestResponse('The body does not match its schema, or an id is none of the choices.', {
        unknownChoice: { code: 'custom', path: ['ids', 0], message: 'Must be the id of one of the choices' },
      }),
      ...notFoundResponse,
      409: errorResponse(
        'The connection does not wait for a choice. Or one of the accounts cannot be connected: choose others.',
        {
          notChoosing: errorOf('connection_not_choosing'),
          ownedElsewhere: errorOf('account_not_connectable.ownedElsewhere'),
        },
        { codes: ['connection_not_opened'] },
      ),
      ...bodyTooLargeResponse,
      ...commonErrors,
      ...noKeyResponse,
    },
  },
})

export const completeConnection = defineOperation({
  method: 'POST',
  url: '/connections/:id/complete',
  scope: 'accounts:connect',
  schema: {
    operationId: 'completeConnection',
    tags: ['connections'],
    summary: 'Complete a connection',
    description:
      'Takes the address that the browser showed after consent, where the browser could not reach this service. It does what the page at this address would have done, and may take up to 30 seconds. A failure of the flow is not an error of this operation: see `state` and `error` of the response.',
    params: ConnectionPath,
    body: Body(CompleteConnection, { complete: CompleteConnection.examples[0] }),
    response: {
      200: JsonResponse(Connection, 'The connection, which has ended or needs a choice.', CONNECTION_EXAMPLES),
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema. Without: the address is not that of this connection.',
        {
          missingUrl: {
            code: 'invalid_type',
            expected: 'string',
            received: 'undefined',
            path: ['callbackUrl'],
            message: 'Required',
          },
        },
        { otherConnection: errorOf('other_connection') },
      ),
      ...notFoundResponse,
      409: errorResponse('The connection does not wait for the network.', {
        notOpened: errorOf('connection_not_opened'),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
      ...noKeyResponse,
    },
  },
})

export const deleteConnection = defineOperation({
  method: 'DELETE',
  url: '/connections/:id',
  scope: 'accounts:connect',
  schema: {
    operationId: 'deleteConnection',
    tags: ['connections'],
    summary: 'Cancel a connection',
    description:
      'Deletes a connection. Its link and the page of the network lead to nothing any more. Accounts that it has connected stay.',
    params: ConnectionPath,
    response: {
      200: JsonResponse(Deleted, 'The connection no longer exists.', { deleted: Deleted.examples[0] }),
      ...notFoundResponse,
      ...commonErrors,
    },
  },
})
