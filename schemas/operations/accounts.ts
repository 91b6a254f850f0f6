import { Account, AccountList, AccountPath } from '../account.ts'
import { CONNECT_EXAMPLES, CONNECTION_ROWS, ConnectAccount, MISSING_PASSWORD, UNKNOWN_PLATFORM } from '../connect.ts'
import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  invalidRequestResponse,
  unavailableResponse,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { IdempotencyHeaders, keyReusedResponse, REPLAY_HEADERS } from '../idempotency.ts'
import { Body, Deleted, JsonResponse } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const [CONNECTED] = Account.examples

export const listAccounts = defineOperation({
  method: 'GET',
  url: '/accounts',
  scope: 'accounts:read',
  takesAccountLists: true,
  ignoresUnknownQuery: true,
  schema: {
    operationId: 'listAccounts',
    tags: ['accounts'],
    summary: 'List accounts',
    description: `Returns every account that you can post to: your own accounts and those of the organisations that you belong to. Disconnected accounts are not listed. The list has no pages.

\`attention\` says why the owner of an account has to act: posts cannot be published to it at the moment or, with the code \`expiring\`, soon cannot. Posts for such an account are accepted all the same. Rejected credentials appear there after the first post that fails because of them. They disappear when a post is published again or the account is connected again.`,
    response: {
      200: JsonResponse(AccountList, 'Your active accounts.', { accounts: AccountList.examples[0] }),
      ...commonErrors,
    },
  },
})

export const connectAccount = defineOperation({
  method: 'POST',
  url: '/accounts',
  scope: 'accounts:connect',
  schema: {
    operationId: 'connectAccount',
    tags: ['accounts'],
    summary: 'Connect an account',
    description: `Checks the credentials with the network, which may take up to 20 seconds, and stores them encrypted. \`username\` and \`displayName\` come from the network. No response, log or error contains credentials.

| network | what to send | where it comes from |
|---|---|---|
${CONNECTION_ROWS}

- **The account is connected already, by you:** the response is 200 instead of 201. The id stays; the credentials are replaced, \`username\`, \`displayName\` and \`textLengthMax\` are updated, and \`attention\` is cleared. The organisation changes only where \`organizationId\` is given.
- **Another user connected the same profile:** you get an account of your own, with your credentials.
- **The operator added the account without credentials** (\`postroom account add\`): it accepts posts, but they are not published. Connecting its profile creates another account.
- **A Mastodon server may have its own maximum length,** which is read from it: see \`textLengthMax\`.
- **A server address inside a private network** is not called. The response is the same as for a name that does not exist.`,
    headers: IdempotencyHeaders,
    body: Body(ConnectAccount, CONNECT_EXAMPLES),
    response: {
      200: {
        ...JsonResponse(Account, 'You had connected this account before. It now has the new credentials.', {
          known: CONNECTED,
        }),
        ...REPLAY_HEADERS,
      },
      201: { ...JsonResponse(Account, 'The account was connected.', { connected: CONNECTED }), ...REPLAY_HEADERS },
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema. Without: the network rejected the credentials.',
        { missingPassword: MISSING_PASSWORD, unknownPlatform: UNKNOWN_PLATFORM },
        { refused: errorOf('credentials_rejected', 'bluesky: bsky.social: Invalid identifier or password') },
      ),
      403: errorResponse('You are not an admin of this organisation, or it does not exist.', {
        noAccess: errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
        notAdmin: errorOf('not_organization_admin'),
      }),
      ...keyReusedResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
      502: errorResponse(
        'The network could not be reached or did not respond within 20 seconds. Nothing was stored. Correct the address, or retry later.',
        { unreachable: errorOf('platform_unavailable', 'mastodon: mastodon.invalid could not be reached (ENOTFOUND)') },
      ),
      503: unavailableResponse(
        ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, so accounts cannot be connected. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`. Nothing was stored.',
        {
          noCredentialsKey: errorOf('credentials_key_missing'),
          otherCredentialsKey: errorOf('credentials_key_mismatch'),
        },
      ),
    },
  },
})

export const disconnectAccount = defineOperation({
  method: 'DELETE',
  url: '/accounts/:id',
  scope: 'accounts:connect',
  takesAccountLists: true,
  schema: {
    operationId: 'disconnectAccount',
    tags: ['accounts'],
    summary: 'Disconnect an account',
    description: `Removes an account from the list and destroys its credentials. The owner can do this, and an admin of its organisation; other members get 403. \`canDisconnect\` of the account tells whether you can.

Published posts stay on the network. Scheduled posts are not published to this account: their deliveries fail with \`no_access\`. Connecting the same profile again creates another account with another id.

Tokens that were granted by OAuth are revoked at Bluesky, Mastodon, Reddit, TikTok and X, unless somebody else has connected the same profile. On other networks, remove the app in your settings there.`,
    params: AccountPath,
    response: {
      200: JsonResponse(Deleted, 'The account is disconnected.', { disconnected: Deleted.examples[0] }),
      403: errorResponse(
        'You can post to the account through an organisation, but neither own it nor are an admin there.',
        { notTheOwner: errorOf('not_account_owner') },
      ),
      404: errorResponse('You cannot post to an account with this id.', {
        notFound: errorOf('account_not_found'),
      }),
      ...commonErrors,
    },
  },
})
