import { Account, AccountList, AccountPath } from '../account.ts'
import { CONNECT_EXAMPLES, ConnectAccount, MISSING_PASSWORD, UNKNOWN_PLATFORM } from '../connect.ts'
import { commonErrors, failure, NO_CREDENTIALS_KEY, shapeFailure, TOO_LARGE, unavailable } from '../error.ts'
import { IdempotencyHeaders, keyTaken, REPLAYED } from '../idempotency.ts'
import { ACCOUNT_NOT_FOUND, NOT_THE_OWNER } from '../messages.ts'
import { Answer, Body, Deleted } from '../shared.ts'
import { operation } from './operation.ts'

const [CONNECTED] = Account.examples

export const listAccounts = operation({
  method: 'GET',
  url: '/accounts',
  schema: {
    operationId: 'listAccounts',
    tags: ['accounts'],
    summary: 'List accounts',
    description:
      'Gives every account that you can post to: your own, and those of the organisations that you belong to. Accounts that were disconnected are left out. `attention` says why nothing can be published to an account at the moment; posts for it are taken all the same.',
    response: {
      200: Answer(AccountList, 'Your active accounts.', { accounts: AccountList.examples[0] }),
      ...commonErrors,
    },
  },
})

export const connectAccount = operation({
  method: 'POST',
  url: '/accounts',
  schema: {
    operationId: 'connectAccount',
    tags: ['accounts'],
    summary: 'Connect an account',
    description:
      'Asks the network whose credentials these are, in 20 seconds at most, and stores them encrypted. Handle and display name are those that the network gives. They are in no answer, log or error. An account that you have connected already keeps its id: its credentials are replaced, its names and `textLengthMax` brought up to date, and its `attention` is over.',
    headers: IdempotencyHeaders,
    body: Body(ConnectAccount, CONNECT_EXAMPLES),
    response: {
      200: {
        ...Answer(Account, 'You had connected this account already: it has the new credentials.', {
          known: CONNECTED,
        }),
        ...REPLAYED,
      },
      201: { ...Answer(Account, 'The account was connected.', { connected: CONNECTED }), ...REPLAYED },
      400: shapeFailure(
        'The body is not what is described here (with `details`), or the network refuses the credentials (without).',
        { missingPassword: MISSING_PASSWORD, unknownPlatform: UNKNOWN_PLATFORM },
        { refused: 'bluesky: bsky.social: Invalid identifier or password' },
      ),
      403: failure('You do not belong to this organisation.', {
        noAccess: 'You have no access to this organizationId: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893',
      }),
      ...keyTaken,
      413: failure('The body is too large.', { tooLarge: TOO_LARGE }),
      ...commonErrors,
      502: failure('The network could not be reached, or did not answer. Nothing was stored: try again later.', {
        unreachable: 'mastodon: mastodon.invalid could not be reached (ENOTFOUND)',
      }),
      503: unavailable(' Or whoever runs the service has given it no key to encrypt credentials with.', {
        noCredentialsKey: NO_CREDENTIALS_KEY,
      }),
    },
  },
})

export const disconnectAccount = operation({
  method: 'DELETE',
  url: '/accounts/:id',
  schema: {
    operationId: 'disconnectAccount',
    tags: ['accounts'],
    summary: 'Disconnect an account',
    description:
      'Takes an account of yours off the list and destroys its credentials. What was published stays; what is scheduled for it is not published there.',
    params: AccountPath,
    response: {
      200: Answer(Deleted, 'The account is disconnected.', { disconnected: Deleted.examples[0] }),
      403: failure('You reach the account through an organisation; it is somebody else’s.', {
        notTheOwner: NOT_THE_OWNER,
      }),
      404: failure('You can post to no account with this id.', { notFound: ACCOUNT_NOT_FOUND }),
      ...commonErrors,
    },
  },
})
