import { CONNECTION_EXAMPLES, Connection, ConnectionPath, notFoundResponse } from '../../connection.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getConnection = defineOperation({
  method: 'GET',
  path: '/connections/:id',
  scope: 'accounts:connect',
  operationId: 'getConnection',
  tag: 'connections',
  summary: 'Get a connection',
  description:
    'Returns a connection that you have begun in the last 24 hours: its state, the connected accounts, or why it failed.',
  params: ConnectionPath,
  success: { 200: JsonResponse(Connection, 'The connection.', CONNECTION_EXAMPLES) },
  errors: [notFoundResponse],
  sdk: 'connections.get',
})
