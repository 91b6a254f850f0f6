import { DeliveryPath, RESOLVE_EXAMPLES, ResolveDelivery } from '../delivery.ts'
import { bodyTooLargeResponse, commonErrors, errorResponse, invalidRequestResponse } from '../error.ts'
import { DELIVERY_NOT_FOUND, NOT_RETRIED, NOT_UNCONFIRMED, POST_NOT_FOUND } from '../messages.ts'
import { PostDetail } from '../post.ts'
import { Body, JsonResponse } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

const DELIVERY_MISSING = { postNotFound: POST_NOT_FOUND, deliveryNotFound: DELIVERY_NOT_FOUND }

export const retryDelivery = defineOperation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/retry',
  schema: {
    operationId: 'retryDelivery',
    tags: ['posts'],
    summary: 'Retry the delivery to one account',
    description: `Makes the delivery to this account due immediately. Deliveries to other accounts are not affected. Only the acts that are not published yet are sent. A body is ignored.

| state | effect |
|---|---|
| \`failed\`, \`missed\` | the delivery is sent; a thread continues with its first missing part |
| \`queued\`, waiting for the next attempt | the attempt is made now |
| \`published\` with an \`error\` | the first comment is sent |
| \`unconfirmed\` | the network is queried first; where it cannot be, 409: call \`resolveDelivery\` |
| \`waiting\`, \`queued\` before the time of the post, \`publishing\`, \`published\` | 409 |

A delivery whose post lacks a deleted file cannot be retried (409).`,
    params: DeliveryPath,
    response: {
      202: JsonResponse(PostDetail, 'The delivery is due.', { published: PostDetail.examples[0] }),
      404: errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
      409: errorResponse('The delivery cannot be retried in this state.', NOT_RETRIED),
      ...commonErrors,
    },
  },
})

export const resolveDelivery = defineOperation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/resolve',
  schema: {
    operationId: 'resolveDelivery',
    tags: ['posts'],
    summary: 'Resolve an unconfirmed delivery',
    description: `Settles a delivery in the state \`unconfirmed\`, after you have checked the network.

- \`published\`: the act counts as published, at \`url\` if present. Parts of a thread and a first comment that would reply to it are not sent, because its id is unknown: add them manually. The delivery then has the error \`parent_unknown\`, and is \`failed\` where parts of the thread are missing.
- \`not_published\`: the delivery fails with \`not_published\` and can be retried. Where only the first comment was unconfirmed, the delivery becomes \`published\` with that error.`,
    params: DeliveryPath,
    body: Body(ResolveDelivery, RESOLVE_EXAMPLES),
    response: {
      200: JsonResponse(PostDetail, 'The delivery is settled.', { published: PostDetail.examples[0] }),
      400: invalidRequestResponse(
        'The body does not match its schema, `url` is not an http(s) address, or `url` comes with `not_published`.',
        {
          missingOutcome: {
            code: 'invalid_type',
            expected: 'string',
            received: 'undefined',
            path: ['outcome'],
            message: 'Required',
          },
        },
      ),
      404: errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
      409: errorResponse('The delivery is in another state than `unconfirmed`.', { notUnconfirmed: NOT_UNCONFIRMED }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})
