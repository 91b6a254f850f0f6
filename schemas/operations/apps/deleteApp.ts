import { AppPath, AppQuery, noAccessResponse } from '../../app.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const deleteApp = defineOperation({
  method: 'DELETE',
  path: '/apps/:platform',
  scope: 'accounts:connect',
  operationId: 'deleteApp',
  tag: 'apps',
  summary: 'Delete an app',
  description:
    'Deletes the credentials of an app. Accounts that were connected with it need it: disconnect them first, or connect them again with another app. The demo has none until `putApp` stores one.',
  params: AppPath,
  query: AppQuery,
  success: { 200: JsonResponse(Deleted, 'The app is deleted.', { deleted: Deleted.examples[0] }) },
  errors: [
    invalidRequestResponse('`organizationId` is given more than once.', {
      repeated: {
        code: 'invalid_type',
        expected: 'string',
        received: 'array',
        path: ['organizationId'],
        message: 'Expected string, received array',
      },
    }),
    noAccessResponse,
    errorResponse('No app is stored for this network, or the path has another name of it.', [
      'app_not_found',
      errorOf('app_not_found.named', 'x'),
    ]),
    errorResponse('Connected accounts need the app.', ['app_in_use']),
  ],
  sdk: 'apps.delete',
})
