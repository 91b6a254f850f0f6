import { errorResponse } from '../../error.ts'

export const missing = (name: string) => ({
  code: 'invalid_type' as const,
  expected: name === 'scopes' ? 'array' : 'string',
  received: 'undefined',
  path: [name],
  message: 'Required',
})

export const noUserResponse = errorResponse('There is no user with this id.', ['user_not_found'])

export const noOrganizationResponse = errorResponse('There is no organisation with this id.', [
  'organization_not_found',
])

export const NEXT = 'Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages.'
