import { bodyTooLargeResponse, commonErrors, errorResponse, unavailableResponse } from '../error.ts'
import { errorOf } from '../errors.ts'
import { keyReusedResponse, RETRY_ADVICE } from '../idempotency.ts'

/** The failures of creating posts that no other body would mend, and of keys. `stored` is what a commit may have stored. */
export const createFailures = (stored: 'the post' | 'the posts') => ({
  ...keyReusedResponse,
  ...bodyTooLargeResponse,
  ...commonErrors,
  500: errorResponse(`An unexpected failure. The log of the service has the cause. ${RETRY_ADVICE}`, {
    failed: errorOf('internal_error.createPost'),
  }),
  503: unavailableResponse(
    ` If the connection broke during the commit, ${stored} may be stored. ${RETRY_ADVICE} Without a key, check the list before.`,
  ),
})
