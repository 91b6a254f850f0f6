import { errorResponse } from '../../error.ts'
import { MemberPath } from '../../people.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const deleteMember = defineOperation({
  method: 'DELETE',
  path: '/organizations/:id/members/:userId',
  scope: 'admin',
  operationId: 'deleteMember',
  tag: 'tenants',
  summary: 'Remove a member',
  description:
    'Removes a user from an organisation. The user can no longer post to its accounts: what is scheduled for them fails with `no_access`. Accounts that the user connected stay with the user and with the organisation. A body is ignored.',
  params: MemberPath,
  success: { 200: JsonResponse(Deleted, 'The user is no member any more.', { removed: Deleted.examples[0] }) },
  errors: [errorResponse('The user is no member, or there is no such organisation.', ['member_not_found'])],
  sdk: 'organizations.deleteMember',
})
