import { ConnectedAppPath } from '../../connected-app.ts'
import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { scopeName } from '../../messages.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const disconnectApp = defineOperation({
  method: 'DELETE',
  path: '/connected-apps/:id',
  scope: 'keys:manage',
  operationId: 'disconnectApp',
  tag: 'connected-apps',
  summary: 'Disconnect an app',
  description:
    'Revokes the API key of a connected app, and so all its tokens. Each process rejects them within a second. The webhooks that the app has created are deleted. A body is ignored. Apps are connected by a person in a browser, so that the id of the example is that of no app: use one from `listConnectedApps`.',
  params: ConnectedAppPath,
  success: { 200: JsonResponse(Deleted, 'The app is disconnected.', { disconnected: Deleted.examples[0] }) },
  errors: [
    errorResponse('The app may do more than the key of the request.', [
      errorOf('api_key_too_wide.changed', scopeName('media:write')),
    ]),
    errorResponse('You have no connected app with this id.', ['connected_app_not_found']),
  ],
  sdk: 'connectedApps.disconnect',
})
