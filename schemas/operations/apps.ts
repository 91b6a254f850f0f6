import { App, AppList, AppPath, AppQuery, PutApp } from '../app.ts'
import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  invalidRequestResponse,
  unavailableResponse,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { Body, Deleted, JsonResponse } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const [APP] = App.examples
const [PUT, WITH_SCOPES] = PutApp.examples

const noAccessResponse = {
  403: errorResponse('You do not belong to this organisation, or it does not exist, or you are none of its admins.', {
    noAccess: errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
    notAdmin: errorOf('not_organization_admin.apps'),
  }),
}

export const listApps = defineOperation({
  method: 'GET',
  url: '/apps',
  scope: 'accounts:connect',
  schema: {
    operationId: 'listApps',
    tags: ['apps'],
    summary: 'List apps',
    description:
      'Returns the apps of all networks that are connected by OAuth: those that the operator has configured, yours, and those of your organisations. A connection uses the app of its organisation if there is one, or else yours, or else that of the operator. `redirectUri` is what to register with the network. Mastodon is not among them: Postroom registers an app with each server by itself.',
    response: {
      200: JsonResponse(AppList, 'The apps.', { apps: AppList.examples[0] }),
      ...commonErrors,
    },
  },
})

export const putApp = defineOperation({
  method: 'PUT',
  url: '/apps/:platform',
  scope: 'accounts:connect',
  schema: {
    operationId: 'putApp',
    tags: ['apps'],
    summary: 'Store an app',
    description:
      'Stores the credentials of an app that you have registered with a network. It replaces the one that you stored before. With the same `clientId`, the secret and the scopes are replaced. With another one, new connections use the new app. Accounts keep the app that they were connected with until they are connected again.\n\nA connection that was begun with another app fails with `app_changed`.',
    params: AppPath,
    body: Body(PutApp, { app: PUT, withScopes: WITH_SCOPES }),
    response: {
      200: JsonResponse(App, 'The app is stored.', { stored: APP }),
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema. Without: the network is not connected with apps, or Postroom registers them by itself.',
        {
          missingClientId: {
            code: 'invalid_type',
            expected: 'string',
            received: 'undefined',
            path: ['clientId'],
            message: 'Required',
          },
        },
        {
          notSupported: errorOf('platform_not_supported', 'telegram'),
          registered: errorOf('platform_not_supported.registered', 'mastodon'),
        },
      ),
      ...noAccessResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
      503: unavailableResponse(
        ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, so secrets cannot be stored. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`.',
        {
          noCredentialsKey: errorOf('credentials_key_missing'),
          otherCredentialsKey: errorOf('credentials_key_mismatch'),
        },
      ),
    },
  },
})

export const deleteApp = defineOperation({
  method: 'DELETE',
  url: '/apps/:platform',
  scope: 'accounts:connect',
  schema: {
    operationId: 'deleteApp',
    tags: ['apps'],
    summary: 'Delete an app',
    description:
      'Deletes the credentials of an app. Accounts that were connected with it need it: disconnect them first, or connect them again with another app.',
    params: AppPath,
    querystring: AppQuery,
    response: {
      200: JsonResponse(Deleted, 'The app is deleted.', { deleted: Deleted.examples[0] }),
      400: invalidRequestResponse('`organizationId` is given more than once.', {
        repeated: {
          code: 'invalid_type',
          expected: 'string',
          received: 'array',
          path: ['organizationId'],
          message: 'Expected string, received array',
        },
      }),
      ...noAccessResponse,
      404: errorResponse('No app is stored for this network.', { notFound: errorOf('app_not_found') }),
      409: errorResponse('Connected accounts need the app.', { inUse: errorOf('app_in_use') }),
      ...commonErrors,
    },
  },
})
