import { SandboxCallList } from '../../sandbox.ts'
import { JsonResponse, PageQuery } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listSandboxCalls = defineOperation({
  method: 'GET',
  path: '/sandbox/calls',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'listSandboxCalls',
  tag: 'sandbox',
  summary: 'List calls to the sandbox',
  description:
    'Returns a page of the calls to your own accounts on the network `sandbox`, newest first. Every call is listed, including calls that the sandbox rejected and a second call for the same post. Calls are removed after a time that the operator sets, 30 days by default. Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages. A page of long calls ends sooner than its `limit`.',
  query: PageQuery,
  success: { 200: JsonResponse(SandboxCallList, 'One page of calls.', { page: SandboxCallList.examples[0] }) },
  sdk: 'sandbox.calls',
})
