import { invalidRequestResponse } from '../../error.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../../idempotency.ts'
import { CreateOrganization, missing, Organization } from '../../people.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const createOrganization = defineOperation({
  method: 'POST',
  path: '/organizations',
  scope: 'admin',
  operationId: 'createOrganization',
  tag: 'tenants',
  summary: 'Create an organisation',
  description: 'Creates an organisation without members: `putMember` adds them.',
  headers: IdempotencyHeaders,
  body: Body(CreateOrganization, { organization: CreateOrganization.examples[0] }),
  success: {
    201: {
      ...JsonResponse(Organization, 'The organisation was created.', { created: Organization.examples[0] }),
      ...REPLAY_HEADERS,
    },
  },
  errors: [invalidRequestResponse('The body does not match its schema.', { missingName: missing('name') })],
  sdk: 'organizations.create',
})
