import { Account } from '../../account.ts'
import { CONNECT_EXAMPLES, CONNECTION_ROWS, ConnectAccount, MISSING_PASSWORD, UNKNOWN_PLATFORM } from '../../connect.ts'
import { errorResponse, invalidRequestResponse, unavailableResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../../idempotency.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

const [CONNECTED] = Account.examples

export const connectAccount = defineOperation({
  method: 'POST',
  path: '/accounts',
  scope: 'accounts:connect',
  operationId: 'connectAccount',
  tag: 'accounts',
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
  // The sandbox accepts any name: its example comes first, and works as it is.
  body: Body(ConnectAccount, { sandbox: CONNECT_EXAMPLES.sandbox, ...CONNECT_EXAMPLES }),
  success: {
    200: {
      ...JsonResponse(Account, 'You had connected this account before. It now has the new credentials.', {
        known: CONNECTED,
      }),
      ...REPLAY_HEADERS,
    },
    201: { ...JsonResponse(Account, 'The account was connected.', { connected: CONNECTED }), ...REPLAY_HEADERS },
  },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema. Without: the network rejected the credentials.',
      { missingPassword: MISSING_PASSWORD, unknownPlatform: UNKNOWN_PLATFORM },
      [errorOf('credentials_rejected', 'bluesky: bsky.social: Invalid identifier or password')],
    ),
    errorResponse('You are not an admin of this organisation, or it does not exist.', [
      errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
      'not_organization_admin',
    ]),
    errorResponse(
      'The network could not be reached or did not respond within 20 seconds. Nothing was stored. Correct the address, or retry later.',
      [
        errorOf(
          'platform_unavailable',
          'mastodon: mastodon.invalid does not resolve to a public address: check its spelling (ENOTFOUND)',
        ),
      ],
    ),
    unavailableResponse(
      ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, so accounts cannot be connected. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`. Nothing was stored.',
      ['credentials_key_missing', 'credentials_key_mismatch'],
    ),
  ],
  sdk: 'accounts.connect',
})
