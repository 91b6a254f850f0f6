import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  invalidPageResponse,
  invalidRequestResponse,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { IdempotencyHeaders, keyReusedResponse, REPLAY_HEADERS } from '../idempotency.ts'
import { ApiKeyList, CREATE_KEY_EXAMPLES, CreateApiKey, CreatedApiKey } from '../key.ts'
import { LATER_EXPIRY } from '../messages.ts'
import {
  CreateOrganization,
  CreateUser,
  Member,
  MemberList,
  MemberPath,
  Organization,
  OrganizationList,
  OrganizationPath,
  PutMember,
  User,
  UserKeyPath,
  UserList,
  UserPath,
} from '../people.ts'
import { Body, Deleted, JsonResponse, PageQuery } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

/*
 * For keys with the scope `admin`, which the operator creates.
 */

const missing = (name: string) => ({
  code: 'invalid_type' as const,
  ...{ expected: name === 'scopes' ? 'array' : 'string', received: 'undefined', path: [name], message: 'Required' },
})

const noUserResponse = {
  404: errorResponse('There is no user with this id.', { notFound: errorOf('user_not_found') }),
}
const noOrganizationResponse = {
  404: errorResponse('There is no organisation with this id.', {
    notFound: errorOf('organization_not_found'),
  }),
}

const NEXT = 'Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages.'

export const listUsers = defineOperation({
  method: 'GET',
  url: '/users',
  scope: 'admin',
  schema: {
    operationId: 'listUsers',
    tags: ['tenants'],
    summary: 'List users',
    description: `Returns a page of all users, newest first. ${NEXT}`,
    querystring: PageQuery,
    response: {
      200: JsonResponse(UserList, 'One page of users.', { page: UserList.examples[0] }),
      400: invalidPageResponse,
      ...commonErrors,
    },
  },
})

export const createUser = defineOperation({
  method: 'POST',
  url: '/users',
  scope: 'admin',
  schema: {
    operationId: 'createUser',
    tags: ['tenants'],
    summary: 'Create a user',
    description: 'Creates a user, who has no key yet: `createUserKey` creates one.',
    headers: IdempotencyHeaders,
    body: Body(CreateUser, { user: CreateUser.examples[0] }),
    response: {
      201: { ...JsonResponse(User, 'The user was created.', { created: User.examples[0] }), ...REPLAY_HEADERS },
      400: invalidRequestResponse('The body does not match its schema.', { missingName: missing('name') }),
      ...keyReusedResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const getUser = defineOperation({
  method: 'GET',
  url: '/users/:id',
  scope: 'admin',
  schema: {
    operationId: 'getUser',
    tags: ['tenants'],
    summary: 'Get a user',
    description: 'Returns one user.',
    params: UserPath,
    response: {
      200: JsonResponse(User, 'The user.', { user: User.examples[0] }),
      ...noUserResponse,
      ...commonErrors,
    },
  },
})

export const deleteUser = defineOperation({
  method: 'DELETE',
  url: '/users/:id',
  scope: 'admin',
  schema: {
    operationId: 'deleteUser',
    tags: ['tenants'],
    summary: 'Delete a user',
    description:
      'Deletes a user with all posts, files, accounts and keys, for good. The networks keep what was published. An account that the user shares with an organisation passes to another member.\n\nWhen the response arrives, all keys are revoked and nothing is sent any more. Tokens of the accounts that nobody keeps are revoked as by `disconnectAccount`. Posts and files are then deleted in the background, which may take minutes: until then, `getUser` still returns the user. If the process is stopped meanwhile, repeat the request. A body is ignored.',
    params: UserPath,
    response: {
      202: JsonResponse(User, 'The user is being deleted.', { user: User.examples[0] }),
      ...noUserResponse,
      409: errorResponse('The key of the request acts for this user.', { ownUser: errorOf('own_user') }),
      ...commonErrors,
    },
  },
})

export const listUserKeys = defineOperation({
  method: 'GET',
  url: '/users/:id/keys',
  scope: 'admin',
  schema: {
    operationId: 'listUserKeys',
    tags: ['tenants'],
    summary: 'List the keys of a user',
    description: `Returns a page of the API keys of a user, newest first, without those that are revoked. ${NEXT}`,
    params: UserPath,
    querystring: PageQuery,
    response: {
      200: JsonResponse(ApiKeyList, 'One page of keys.', { page: ApiKeyList.examples[0] }),
      400: invalidPageResponse,
      ...noUserResponse,
      ...commonErrors,
    },
  },
})

export const createUserKey = defineOperation({
  method: 'POST',
  url: '/users/:id/keys',
  scope: 'admin',
  schema: {
    operationId: 'createUserKey',
    tags: ['tenants'],
    summary: 'Create a key for a user',
    description:
      'Creates an API key that acts for the user, with any scopes but `admin`. Without `expiresAt`, it expires when the key of the request does. The secret is in this response alone, and takes no `Idempotency-Key`: it is stored nowhere. If the response is lost, find the key with `listUserKeys`, revoke it, and create another one.',
    params: UserPath,
    body: Body(CreateApiKey, CREATE_KEY_EXAMPLES),
    response: {
      201: JsonResponse(CreatedApiKey, 'The key was created.', { created: CreatedApiKey.examples[0] }),
      400: invalidRequestResponse('The body does not match its schema.', { missingScopes: missing('scopes') }),
      403: errorResponse('The key would have the scope `admin`, or outlive the key of the request.', {
        adminNotGiven: errorOf('api_key_too_wide.admin'),
        expiryNotGiven: errorOf('api_key_too_wide', LATER_EXPIRY),
        noAccount: errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
      }),
      ...noUserResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const revokeUserKey = defineOperation({
  method: 'DELETE',
  url: '/users/:id/keys/:keyId',
  scope: 'admin',
  schema: {
    operationId: 'revokeUserKey',
    tags: ['tenants'],
    summary: 'Revoke a key of a user',
    description: 'Ends a key of a user for good. Each process rejects it within a second. A body is ignored.',
    params: UserKeyPath,
    response: {
      200: JsonResponse(Deleted, 'The key is revoked.', { revoked: Deleted.examples[0] }),
      404: errorResponse('The user has no key with this id, or there is no such user.', {
        notFound: errorOf('api_key_not_found'),
      }),
      ...commonErrors,
    },
  },
})

export const listOrganizations = defineOperation({
  method: 'GET',
  url: '/organizations',
  scope: 'admin',
  schema: {
    operationId: 'listOrganizations',
    tags: ['tenants'],
    summary: 'List organisations',
    description: `Returns a page of all organisations, newest first. ${NEXT}`,
    querystring: PageQuery,
    response: {
      200: JsonResponse(OrganizationList, 'One page of organisations.', { page: OrganizationList.examples[0] }),
      400: invalidPageResponse,
      ...commonErrors,
    },
  },
})

export const createOrganization = defineOperation({
  method: 'POST',
  url: '/organizations',
  scope: 'admin',
  schema: {
    operationId: 'createOrganization',
    tags: ['tenants'],
    summary: 'Create an organisation',
    description: 'Creates an organisation without members: `putMember` adds them.',
    headers: IdempotencyHeaders,
    body: Body(CreateOrganization, { organization: CreateOrganization.examples[0] }),
    response: {
      201: {
        ...JsonResponse(Organization, 'The organisation was created.', { created: Organization.examples[0] }),
        ...REPLAY_HEADERS,
      },
      400: invalidRequestResponse('The body does not match its schema.', { missingName: missing('name') }),
      ...keyReusedResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const getOrganization = defineOperation({
  method: 'GET',
  url: '/organizations/:id',
  scope: 'admin',
  schema: {
    operationId: 'getOrganization',
    tags: ['tenants'],
    summary: 'Get an organisation',
    description: 'Returns one organisation.',
    params: OrganizationPath,
    response: {
      200: JsonResponse(Organization, 'The organisation.', { organization: Organization.examples[0] }),
      ...noOrganizationResponse,
      ...commonErrors,
    },
  },
})

export const deleteOrganization = defineOperation({
  method: 'DELETE',
  url: '/organizations/:id',
  scope: 'admin',
  schema: {
    operationId: 'deleteOrganization',
    tags: ['tenants'],
    summary: 'Delete an organisation',
    description:
      'Deletes an organisation, its memberships and its apps. Its members stay users. Accounts that belong to it have to be disconnected before (409). A body is ignored.',
    params: OrganizationPath,
    response: {
      200: JsonResponse(Deleted, 'The organisation no longer exists.', { deleted: Deleted.examples[0] }),
      ...noOrganizationResponse,
      409: errorResponse('Connected accounts belong to the organisation.', {
        inUse: errorOf('organization_in_use'),
      }),
      ...commonErrors,
    },
  },
})

export const listMembers = defineOperation({
  method: 'GET',
  url: '/organizations/:id/members',
  scope: 'admin',
  schema: {
    operationId: 'listMembers',
    tags: ['tenants'],
    summary: 'List the members of an organisation',
    description: `Returns a page of the members of an organisation: the users who were created last come first. ${NEXT}`,
    params: OrganizationPath,
    querystring: PageQuery,
    response: {
      200: JsonResponse(MemberList, 'One page of members.', { page: MemberList.examples[0] }),
      400: invalidPageResponse,
      ...noOrganizationResponse,
      ...commonErrors,
    },
  },
})

export const putMember = defineOperation({
  method: 'PUT',
  url: '/organizations/:id/members/:userId',
  scope: 'admin',
  schema: {
    operationId: 'putMember',
    tags: ['tenants'],
    summary: 'Add a member, or change a role',
    description: 'Makes a user a member of an organisation with this role, or changes the role of a member.',
    params: MemberPath,
    body: Body(PutMember, { member: PutMember.examples[0], admin: PutMember.examples[1] }),
    response: {
      200: JsonResponse(Member, 'The user is a member with this role.', { member: Member.examples[0] }),
      400: invalidRequestResponse('The body does not match its schema.', { missingRole: missing('role') }),
      404: errorResponse('There is no organisation or no user with this id.', {
        notFound: errorOf('organization_not_found'),
        userNotFound: errorOf('user_not_found'),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const deleteMember = defineOperation({
  method: 'DELETE',
  url: '/organizations/:id/members/:userId',
  scope: 'admin',
  schema: {
    operationId: 'deleteMember',
    tags: ['tenants'],
    summary: 'Remove a member',
    description:
      'Removes a user from an organisation. The user can no longer post to its accounts: what is scheduled for them fails with `no_access`. Accounts that the user connected stay with the user and with the organisation. A body is ignored.',
    params: MemberPath,
    response: {
      200: JsonResponse(Deleted, 'The user is no member any more.', { removed: Deleted.examples[0] }),
      404: errorResponse('The user is no member, or there is no such organisation.', {
        notFound: errorOf('member_not_found'),
      }),
      ...commonErrors,
    },
  },
})
