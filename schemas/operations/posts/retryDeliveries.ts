import { invalidRequestResponse } from '../../error.ts'
import { CURSOR_OF_ANOTHER_QUERY } from '../../messages.ts'
import { RETRY_DELIVERIES_EXAMPLES, RetriedDeliveries, RetryDeliveries } from '../../retry-deliveries.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const retryDeliveries = defineOperation({
  method: 'POST',
  path: '/deliveries/retry',
  scope: 'posts:publish',
  operationId: 'retryDeliveries',
  tag: 'posts',
  summary: 'Retry all deliveries that meet filters',
  description: `Makes deliveries due immediately, as \`retryDelivery\` does with each of them: after an outage, or after an account was connected again. Without filters, these are all that have failed. The filters are those of \`listDeliveries\`, which shows beforehand what a request would select.

A request retries up to 100 deliveries, all of them or, with an error response, none. It looks at up to 250, so that a response may have few deliveries, or none, although more follow: repeat the request with \`nextCursor\` as \`cursor\` until it is \`null\`.

**Repeating the request is safe.** A retried delivery is \`queued\`, and does not meet the filters until it fails again. Deliveries that cannot be retried are in \`left\`, and do not change. Deliveries that are \`unconfirmed\` or \`published\` and were cancelled are left too, unless \`errorCode\` is \`cancelled\`. A delivery that changes while the request runs is in neither list.`,
  body: Body(RetryDeliveries, RETRY_DELIVERIES_EXAMPLES),
  success: {
    200: JsonResponse(RetriedDeliveries, 'The deliveries are due, except for those in `left`.', {
      retried: RetriedDeliveries.examples[0],
    }),
  },
  errors: [
    invalidRequestResponse('The body does not match its schema, or `cursor` belongs to a request with other filters.', {
      unknownFilter: {
        code: 'unrecognized_keys',
        keys: ['account'],
        path: [],
        message: "Unrecognized key(s) in object: 'account'. Did you mean 'accountId'?",
      },
      cursorOfAnotherQuery: CURSOR_OF_ANOTHER_QUERY,
    }),
  ],
  sdk: 'deliveries.retryAll',
})
