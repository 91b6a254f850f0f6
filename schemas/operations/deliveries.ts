import { DeliveryPath, RESOLVE_EXAMPLES, ResolveDelivery } from '../delivery.ts'
import { commonErrors, failure, shapeFailure, TOO_LARGE } from '../error.ts'
import { DELIVERY_NOT_FOUND, NOT_RETRIED, NOT_UNCONFIRMED, POST_NOT_FOUND } from '../messages.ts'
import { PostDetail } from '../post.ts'
import { Answer, Body } from '../shared.ts'
import { operation } from './operation.ts'

const DELIVERY_MISSING = { postNotFound: POST_NOT_FOUND, deliveryNotFound: DELIVERY_NOT_FOUND }

export const retryDelivery = operation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/retry',
  schema: {
    operationId: 'retryDelivery',
    tags: ['posts'],
    summary: 'Retry the delivery to one account',
    description:
      'Makes the delivery to this account due now, and no other: one that failed or was missed, that waits for its next attempt, or whose first comment failed. Only what is not out yet is sent. One that is `unconfirmed` is asked about at its network first, where that can be asked. Takes no body.',
    params: DeliveryPath,
    response: {
      202: Answer(PostDetail, 'The delivery is due.', { published: PostDetail.examples[0] }),
      404: failure('You have no post with this id, or it does not go to this account.', DELIVERY_MISSING),
      409: failure('There is nothing to retry.', NOT_RETRIED),
      ...commonErrors,
    },
  },
})

export const resolveDelivery = operation({
  method: 'POST',
  url: '/posts/:id/deliveries/:accountId/resolve',
  schema: {
    operationId: 'resolveDelivery',
    tags: ['posts'],
    summary: 'Say what came of an unconfirmed delivery',
    description:
      'Settles a delivery that may be out, after you have looked on the network. As `published` it counts as sent; as `not_published` it failed, and can be retried.',
    params: DeliveryPath,
    body: Body(ResolveDelivery, RESOLVE_EXAMPLES),
    response: {
      200: Answer(PostDetail, 'The delivery is settled.', { published: PostDetail.examples[0] }),
      400: shapeFailure('The body is not what is described here.', {
        missingOutcome: {
          code: 'invalid_type',
          expected: 'string',
          received: 'undefined',
          path: ['outcome'],
          message: 'Required',
        },
      }),
      404: failure('You have no post with this id, or it does not go to this account.', DELIVERY_MISSING),
      409: failure('The delivery is not unconfirmed.', { notUnconfirmed: NOT_UNCONFIRMED }),
      413: failure('The body is too large.', { tooLarge: TOO_LARGE }),
      ...commonErrors,
    },
  },
})
