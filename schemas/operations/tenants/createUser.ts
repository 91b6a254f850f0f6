import { invalidRequestResponse } from '../../error.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../../idempotency.ts'
import { CreateUser, missing, User } from '../../people.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const createUser = defineOperation({
  method: 'POST',
  path: '/users',
  scope: 'admin',
  operationId: 'createUser',
  tag: 'tenants',
  summary: 'Create a user',
  description: 'Creates a user, who has no key yet: `createUserKey` creates one.',
  headers: IdempotencyHeaders,
  body: Body(CreateUser, { user: CreateUser.examples[0] }),
  success: {
    201: { ...JsonResponse(User, 'The user was created.', { created: User.examples[0] }), ...REPLAY_HEADERS },
  },
  errors: [invalidRequestResponse('The body does not match its schema.', { missingName: missing('name') })],
  sdk: 'users.create',
})
