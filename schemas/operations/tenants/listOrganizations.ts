import { NEXT, OrganizationList } from '../../people.ts'
import { JsonResponse, PageQuery } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const listOrganizations = defineOperation({
  method: 'GET',
  path: '/organizations',
  scope: 'admin',
  operationId: 'listOrganizations',
  tag: 'tenants',
  summary: 'List organisations',
  description: `Returns a page of all organisations, newest first. ${NEXT}`,
  query: PageQuery,
  success: {
    200: JsonResponse(OrganizationList, 'One page of organisations.', { page: OrganizationList.examples[0] }),
  },
  sdk: 'organizations.list',
})
