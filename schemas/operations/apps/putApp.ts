import { App, AppPath, noAccessResponse, PutApp } from '../../app.ts'
import { invalidRequestResponse, unavailableResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

const [APP] = App.examples

const [PUT, WITH_SCOPES] = PutApp.examples

export const putApp = defineOperation({
  method: 'PUT',
  path: '/apps/:platform',
  scope: 'accounts:connect',
  operationId: 'putApp',
  tag: 'apps',
  summary: 'Store an app',
  description:
    'Stores the credentials of an app that you have registered with a network, in place of those stored before. With the same `clientId`, the secret and the scopes are replaced. With another one, new connections use the new app. Accounts keep the app that they were connected with until they are connected again.\n\nThe form of `clientId` is checked for the networks of Meta and of Google, which document it.\n\nA connection that was begun with another app fails with `app_changed`.',
  params: AppPath,
  body: Body(PutApp, { app: PUT, withScopes: WITH_SCOPES }),
  success: { 200: JsonResponse(App, 'The app is stored.', { stored: APP }) },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema. Without: the network is not connected with apps, or Postroom registers them by itself.',
      {
        missingClientId: {
          code: 'invalid_type',
          expected: 'string',
          received: 'undefined',
          path: ['clientId'],
          message: 'Required',
        },
        idOfAnotherForm: {
          code: 'custom',
          path: ['clientId'],
          message:
            'A client id of Facebook is digits only: copy the app id from its dashboard at developers.facebook.com',
        },
      },
      [
        errorOf('platform_not_supported', 'telegram'),
        errorOf('platform_not_supported.registered', 'mastodon'),
        errorOf('platform_not_supported.named', 'x'),
      ],
    ),
    noAccessResponse,
    unavailableResponse(
      ' `Credentials key not set`: the operator has not configured `CREDENTIALS_KEY`, so secrets cannot be stored. `Stored credentials are encrypted with a key …`: the operator has to add that key to `CREDENTIALS_KEY`.',
      ['credentials_key_missing', 'credentials_key_mismatch'],
    ),
  ],
  sdk: 'apps.put',
})
