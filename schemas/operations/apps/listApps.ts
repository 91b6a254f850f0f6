import { AppList } from '../../app.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listApps = defineOperation({
  method: 'GET',
  path: '/apps',
  scope: 'accounts:connect',
  operationId: 'listApps',
  tag: 'apps',
  summary: 'List apps',
  description:
    'Returns the apps of all networks that are connected by OAuth: those that the operator has configured, yours, and those of your organisations. A connection uses the app of its organisation if there is one, or else yours, or else that of the operator. `redirectUri` is what to register with the network. Mastodon is not among them: Postroom registers an app with each server by itself.',
  success: { 200: JsonResponse(AppList, 'The apps.', { apps: AppList.examples[0] }) },
  sdk: 'apps.list',
})
