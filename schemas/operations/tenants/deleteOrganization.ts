import { Type } from '@sinclair/typebox'
import { errorResponse } from '../../error.ts'
import { EMPTY_ORGANIZATION_ID, noOrganizationResponse, OrganizationPath } from '../../people.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const deleteOrganization = defineOperation({
  method: 'DELETE',
  path: '/organizations/:id',
  scope: 'admin',
  operationId: 'deleteOrganization',
  tag: 'tenants',
  summary: 'Delete an organisation',
  description:
    'Deletes an organisation, its memberships and its apps. Its members stay users. Accounts that belong to it have to be disconnected before (409). A body is ignored.',
  params: Type.Object({ id: { ...OrganizationPath.properties.id, examples: [EMPTY_ORGANIZATION_ID] } }),
  success: { 200: JsonResponse(Deleted, 'The organisation no longer exists.', { deleted: Deleted.examples[0] }) },
  errors: [
    noOrganizationResponse,
    errorResponse('Connected accounts belong to the organisation.', ['organization_in_use']),
  ],
  sdk: 'organizations.delete',
})
