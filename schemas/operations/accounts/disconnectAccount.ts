import { AccountPath } from '../../account.ts'
import { errorResponse } from '../../error.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const disconnectAccount = defineOperation({
  method: 'DELETE',
  path: '/accounts/:id',
  scope: 'accounts:connect',
  takesAccountLists: true,
  operationId: 'disconnectAccount',
  tag: 'accounts',
  summary: 'Disconnect an account',
  description: `Removes an account from the list and destroys its credentials. The owner can do this, and an admin of its organisation; other members get 403. \`canDisconnect\` of the account tells whether you can.

Published posts stay on the network. Scheduled posts are not published to this account: their deliveries fail with \`no_access\`. Connecting the same profile again creates another account with another id.

Tokens that were granted by OAuth are revoked at Bluesky, Mastodon, Reddit, TikTok and X, unless somebody else has connected the same profile. On other networks, remove the app in your settings there.`,
  params: AccountPath,
  success: { 200: JsonResponse(Deleted, 'The account is disconnected.', { disconnected: Deleted.examples[0] }) },
  errors: [
    errorResponse('You can post to the account through an organisation, but neither own it nor are an admin there.', [
      'not_account_owner',
    ]),
    errorResponse('You cannot post to an account with this id.', ['account_not_found']),
  ],
  sdk: 'accounts.disconnect',
})
