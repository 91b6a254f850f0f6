import { ConnectedAppList } from '../../connected-app.ts'
import { JsonResponse, PageQuery } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listConnectedApps = defineOperation({
  method: 'GET',
  path: '/connected-apps',
  scope: 'keys:manage',
  operationId: 'listConnectedApps',
  tag: 'connected-apps',
  summary: 'List connected apps',
  description:
    'Returns a page of the apps that were connected to your user by OAuth, newest first. Each has an API key of its own, which `listKeys` returns too.',
  query: PageQuery,
  success: { 200: JsonResponse(ConnectedAppList, 'One page of apps.', { page: ConnectedAppList.examples[0] }) },
  sdk: 'connectedApps.list',
})
