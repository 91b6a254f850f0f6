import {
  CONNECTION_EXAMPLES,
  CompleteConnection,
  Connection,
  ConnectionPath,
  noKeyResponse,
  notFoundResponse,
} from '../../connection.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const completeConnection = defineOperation({
  method: 'POST',
  path: '/connections/:id/complete',
  scope: 'accounts:connect',
  operationId: 'completeConnection',
  tag: 'connections',
  summary: 'Complete a connection',
  description:
    'Takes the address that the browser showed after consent, where the browser could not reach this service. It does what the page at this address would have done, and may take up to 30 seconds. A failure of the flow is not an error of this operation: see `state` and `error` of the response. The connection of the example has ended, so that the response is 409.',
  params: ConnectionPath,
  body: Body(CompleteConnection, { complete: CompleteConnection.examples[0] }),
  success: { 200: JsonResponse(Connection, 'The connection, which has ended or needs a choice.', CONNECTION_EXAMPLES) },
  errors: [
    invalidRequestResponse(
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
      ['other_connection'],
    ),
    notFoundResponse,
    errorResponse('The connection does not wait for the network.', ['connection_not_opened']),
    noKeyResponse,
  ],
  sdk: 'connections.complete',
})
