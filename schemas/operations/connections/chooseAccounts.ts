import {
  ChooseAccounts,
  CONNECTION_EXAMPLES,
  Connection,
  ConnectionPath,
  noKeyResponse,
  notFoundResponse,
} from '../../connection.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const chooseAccounts = defineOperation({
  method: 'POST',
  path: '/connections/:id/choose',
  scope: 'accounts:connect',
  operationId: 'chooseAccounts',
  tag: 'connections',
  summary: 'Choose accounts',
  description:
    'Connects some of the `choices` of a connection in the state `choosing`, all or none. The page that the browser shows does the same. A connection whose user does not choose in time expires, and the tokens are deleted. The connection of the example has ended, so that the response is 409.',
  params: ConnectionPath,
  body: Body(ChooseAccounts, { one: ChooseAccounts.examples[0] }),
  success: {
    200: JsonResponse(Connection, 'The accounts are connected.', { connected: CONNECTION_EXAMPLES.connected }),
  },
  errors: [
    invalidRequestResponse('The body does not match its schema, or an id is not among the choices.', {
      unknownChoice: { code: 'custom', path: ['ids', 0], message: 'Must be the id of one of the choices' },
    }),
    notFoundResponse,
    errorResponse(
      'The connection does not wait for a choice. Or one of the accounts cannot be connected: choose others.',
      ['connection_not_choosing', 'account_not_connectable.ownedElsewhere'],
      { codes: ['connection_not_opened'] },
    ),
    noKeyResponse,
  ],
  sdk: 'connections.choose',
})
