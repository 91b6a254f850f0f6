import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { Member, MemberPath, missing, PutMember } from '../../people.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const putMember = defineOperation({
  method: 'PUT',
  path: '/organizations/:id/members/:userId',
  scope: 'admin',
  operationId: 'putMember',
  tag: 'tenants',
  summary: 'Add a member, or change a role',
  description: 'Makes a user a member of an organisation with this role, or changes the role of a member.',
  params: MemberPath,
  body: Body(PutMember, { member: PutMember.examples[0], admin: PutMember.examples[1] }),
  success: { 200: JsonResponse(Member, 'The user is a member with this role.', { member: Member.examples[0] }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', { missingRole: missing('role') }),
    errorResponse('There is no organisation or no user with this id.', ['organization_not_found', 'user_not_found']),
  ],
  sdk: 'organizations.putMember',
})
