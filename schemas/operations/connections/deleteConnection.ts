import { ConnectionPath, notFoundResponse } from '../../connection.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const deleteConnection = defineOperation({
  method: 'DELETE',
  path: '/connections/:id',
  scope: 'accounts:connect',
  operationId: 'deleteConnection',
  tag: 'connections',
  summary: 'Cancel a connection',
  description:
    'Deletes a connection. Its link and the page of the network lead to nothing any more. Accounts that it has connected stay.',
  params: ConnectionPath,
  success: { 200: JsonResponse(Deleted, 'The connection no longer exists.', { deleted: Deleted.examples[0] }) },
  errors: [notFoundResponse],
  sdk: 'connections.cancel',
})
