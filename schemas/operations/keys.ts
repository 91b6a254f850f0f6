import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  type Issue,
  invalidPageResponse,
  invalidRequestResponse,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import {
  ApiKey,
  ApiKeyList,
  ApiKeyPath,
  CREATE_KEY_EXAMPLES,
  CreateApiKey,
  CreatedApiKey,
  ROTATE_KEY_EXAMPLES,
  RotateApiKey,
  UPDATE_KEY_EXAMPLES,
  UpdateApiKey,
} from '../key.ts'
import { ALL_SCOPES, accountName, LATER_EXPIRY, scopeName, scopeWithAccounts } from '../messages.ts'
import { Body, Deleted, JsonResponse, PageQuery } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const [KEY] = ApiKey.examples
const [CREATED] = CreatedApiKey.examples

const notFoundResponse = {
  404: errorResponse('You have no key with this id.', { notFound: errorOf('api_key_not_found') }),
}

const typeIssue = (key: string, expected: string, received: string): Issue => ({
  ...{ code: 'invalid_type', expected, received, path: [key] },
  message: received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`,
})

const ONCE =
  'The secret is in this response alone, and takes no `Idempotency-Key`: it is stored nowhere. If the response is lost, find the key with `listKeys`, revoke it, and create another one.'

export const getCurrentKey = defineOperation({
  method: 'GET',
  url: '/key',
  scope: null,
  schema: {
    operationId: 'getCurrentKey',
    tags: ['keys'],
    summary: 'Get the key of the request',
    description:
      'Returns the API key that the request was sent with: whom it acts for, what it allows, and when it expires. Every valid key may call this.',
    response: {
      200: JsonResponse(ApiKey, 'The key.', { key: KEY }),
      ...commonErrors,
    },
  },
})

export const createKey = defineOperation({
  method: 'POST',
  url: '/keys',
  scope: 'keys:manage',
  schema: {
    operationId: 'createKey',
    tags: ['keys'],
    summary: 'Create a key',
    description: `Creates an API key that acts for you. It can allow only what the key of the request allows, and not for longer. ${ONCE}`,
    body: Body(CreateApiKey, CREATE_KEY_EXAMPLES),
    response: {
      201: JsonResponse(CreatedApiKey, 'The key was created.', { created: CREATED }),
      400: invalidRequestResponse('The body does not match its schema.', {
        missingScopes: typeIssue('scopes', 'array', 'undefined'),
        scopeWithAccounts: {
          ...{ code: 'custom', path: ['accountIds'], message: scopeWithAccounts('keys:manage') },
        },
      }),
      403: errorResponse('The key would allow more than the key of the request.', {
        scopeNotGiven: errorOf('api_key_too_wide', scopeName('media:write')),
        expiryNotGiven: errorOf('api_key_too_wide', LATER_EXPIRY),
        adminNotGiven: errorOf('api_key_too_wide.admin'),
        noAccount: errorOf('no_access', 'accountId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const listKeys = defineOperation({
  method: 'GET',
  url: '/keys',
  scope: 'keys:manage',
  schema: {
    operationId: 'listKeys',
    tags: ['keys'],
    summary: 'List keys',
    description:
      'Returns a page of your API keys, newest first. Expired keys are listed, revoked ones are not. Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages.',
    querystring: PageQuery,
    response: {
      200: JsonResponse(ApiKeyList, 'One page of your keys.', { page: ApiKeyList.examples[0] }),
      400: invalidPageResponse,
      ...commonErrors,
    },
  },
})

export const getKey = defineOperation({
  method: 'GET',
  url: '/keys/:id',
  scope: 'keys:manage',
  schema: {
    operationId: 'getKey',
    tags: ['keys'],
    summary: 'Get a key',
    description: 'Returns one of your API keys, without its secret.',
    params: ApiKeyPath,
    response: {
      200: JsonResponse(ApiKey, 'The key.', { key: KEY }),
      ...notFoundResponse,
      ...commonErrors,
    },
  },
})

export const updateKey = defineOperation({
  method: 'PATCH',
  url: '/keys/:id',
  scope: 'keys:manage',
  schema: {
    operationId: 'updateKey',
    tags: ['keys'],
    summary: 'Rename or narrow a key',
    description:
      'Changes the name of one of your keys, takes scopes or accounts away from it, or lets it expire earlier. Each process obeys within a second. A key never gets more than it has: create another one for that. A key that allows more than the key of the request, in scopes or accounts, cannot be changed.',
    params: ApiKeyPath,
    body: Body(UpdateApiKey, UPDATE_KEY_EXAMPLES),
    response: {
      200: JsonResponse(ApiKey, 'The changed key.', { changed: KEY }),
      400: invalidRequestResponse('The body does not match its schema.', {
        wrongName: typeIssue('name', 'string', 'number'),
      }),
      403: errorResponse('The key would allow more than before, or allows more than the key of the request.', {
        changesWider: errorOf('api_key_too_wide.changed', scopeName('media:write')),
        scopeNotThere: errorOf('api_key_too_wide.widened', scopeName('media:write')),
        expiryLater: errorOf('api_key_too_wide.widened', LATER_EXPIRY),
        accountNotThere: errorOf('api_key_too_wide.widened', accountName('0196f0c4-9a3d-7b15-8e20-5d7f41a6c893')),
      }),
      ...notFoundResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const rotateKey = defineOperation({
  method: 'POST',
  url: '/keys/:id/rotate',
  scope: 'keys:manage',
  schema: {
    operationId: 'rotateKey',
    tags: ['keys'],
    summary: 'Replace a key',
    description: `Creates a key that allows the same as this one and expires when this one would have expired. The old key stays valid for \`overlapSeconds\`, in which all programs can change to the new one. A key has one successor: a second rotation is a 409, unless the successor was revoked. ${ONCE}`,
    params: ApiKeyPath,
    body: Body(RotateApiKey, ROTATE_KEY_EXAMPLES),
    response: {
      201: JsonResponse(CreatedApiKey, 'The new key.', { created: { ...CREATED, replaces: KEY.id } }),
      400: invalidRequestResponse('The body does not match its schema.', {
        wrongOverlap: typeIssue('overlapSeconds', 'integer', 'string'),
      }),
      403: errorResponse('The key allows more than the key of the request.', {
        scopesNotGiven: errorOf('api_key_too_wide', ALL_SCOPES),
        scopeNotGiven: errorOf('api_key_too_wide', scopeName('media:write')),
        expiryNotGiven: errorOf('api_key_too_wide', LATER_EXPIRY),
      }),
      ...notFoundResponse,
      409: errorResponse('Another key replaces this one, or it is expired.', {
        rotated: errorOf('api_key_rotated'),
        expired: errorOf('api_key_not_rotatable'),
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})

export const revokeKey = defineOperation({
  method: 'DELETE',
  url: '/keys/:id',
  scope: 'keys:manage',
  schema: {
    operationId: 'revokeKey',
    tags: ['keys'],
    summary: 'Revoke a key',
    description:
      'Ends one of your keys for good. Each process rejects it within a second. A key may revoke itself, and keys that allow no more than it does, in scopes and accounts. A body is ignored.',
    params: ApiKeyPath,
    response: {
      200: JsonResponse(Deleted, 'The key is revoked.', { revoked: Deleted.examples[0] }),
      403: errorResponse('The key allows more than the key of the request.', {
        revokesWider: errorOf('api_key_too_wide.changed', scopeName('media:write')),
      }),
      ...notFoundResponse,
      ...commonErrors,
    },
  },
})
