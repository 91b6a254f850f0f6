import { errorResponse, type Issue } from '../../error.ts'
import { ApiKey, CreatedApiKey } from '../../key.ts'

export const [KEY] = ApiKey.examples

export const [CREATED] = CreatedApiKey.examples

export const notFoundResponse = errorResponse('You have no key with this id.', ['api_key_not_found'])

export const typeIssue = (key: string, expected: string, received: string): Issue => ({
  code: 'invalid_type',
  expected,
  received,
  path: [key],
  message: received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`,
})

export const ONCE =
  'The secret is in this response alone, and takes no `Idempotency-Key`: it is stored nowhere. If the response is lost, find the key with `listKeys`, revoke it, and create another one.'
