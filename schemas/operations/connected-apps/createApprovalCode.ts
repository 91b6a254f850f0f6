import { ApprovalCode } from '../../connected-app.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const createApprovalCode = defineOperation({
  method: 'POST',
  path: '/connected-apps/codes',
  scope: 'keys:manage',
  operationId: 'createApprovalCode',
  tag: 'connected-apps',
  summary: 'Create a code that connects an app',
  description:
    'Returns a code for the page that connects an app. It stands for the key of the request, so that a person need not enter that key. It works once, for ten minutes; a key has at most 20 at a time (429). The response is kept nowhere: if it is lost, create another code. A body is ignored.',
  success: { 201: JsonResponse(ApprovalCode, 'The code.', { code: ApprovalCode.examples[0] }) },
  sdk: 'connectedApps.createCode',
})
