import { noOrganizationResponse, Organization, OrganizationPath } from '../../people.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getOrganization = defineOperation({
  method: 'GET',
  path: '/organizations/:id',
  scope: 'admin',
  operationId: 'getOrganization',
  tag: 'tenants',
  summary: 'Get an organisation',
  description: 'Returns one organisation.',
  params: OrganizationPath,
  success: { 200: JsonResponse(Organization, 'The organisation.', { organization: Organization.examples[0] }) },
  errors: [noOrganizationResponse],
  sdk: 'organizations.get',
})
