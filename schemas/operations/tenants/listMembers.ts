import { MemberList, NEXT, noOrganizationResponse, OrganizationPath } from '../../people.ts'
import { JsonResponse, PageQuery } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listMembers = defineOperation({
  method: 'GET',
  path: '/organizations/:id/members',
  scope: 'admin',
  operationId: 'listMembers',
  tag: 'tenants',
  summary: 'List the members of an organisation',
  description: `Returns a page of the members of an organisation: the users who were created last come first. ${NEXT}`,
  params: OrganizationPath,
  query: PageQuery,
  success: { 200: JsonResponse(MemberList, 'One page of members.', { page: MemberList.examples[0] }) },
  errors: [noOrganizationResponse],
  sdk: 'organizations.listMembers',
})
