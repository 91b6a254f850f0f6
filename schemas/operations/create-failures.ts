import { type ErrorResponses, errorResponse, unavailableResponse } from '../error.ts'
import { RETRY_ADVICE } from '../idempotency.ts'

/** The failures of creating posts. `stored` is what a commit may have stored. */
export const createFailures = (stored: 'the post' | 'the posts'): ErrorResponses => ({
  ...errorResponse(`An unexpected failure. The log of the service has the cause. ${RETRY_ADVICE}`, [
    'internal_error.createPost',
  ]),
  ...unavailableResponse(
    ` If the connection broke during the commit, ${stored} may be stored. ${RETRY_ADVICE} Without a key, check the list before.`,
  ),
})
