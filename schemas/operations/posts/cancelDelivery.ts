import { DeliveryPath } from '../../delivery.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { PostDetail } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders } from '../../precondition.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING } from './deliveries.ts'

export const cancelDelivery = defineOperation({
  method: 'POST',
  path: '/posts/:id/deliveries/:accountId/cancel',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'cancelDelivery',
  tag: 'posts',
  summary: 'Cancel the delivery to one account',
  description: `Ends a delivery that is \`queued\`: it waits for its time, for another attempt, or for its network. Nothing more of it is sent until you retry it. Deliveries to other accounts are not affected. The delivery then has the error \`cancelled\`. A body is ignored.

| before | after |
|---|---|
| nothing is published, or only the first parts of a thread | \`cancelled\` |
| only the first comment is missing | \`published\` |
| a call was made, and its response was lost or the network still processes it | \`unconfirmed\`: check the network, then call \`resolveDelivery\`; a retry queries the network |

A delivery that is cancelled already stays as it is, so that the call can be repeated safely. In other states, nothing is going to be sent (409); a delivery that is being sent cannot be cancelled (409). Changing or publishing a post does not revive a cancelled delivery, unless the post becomes a draft.`,
  params: DeliveryPath,
  headers: IfMatchHeaders,
  success: {
    200: {
      ...JsonResponse(PostDetail, 'Nothing more is sent.', { published: PostDetail.examples[0] }),
      ...ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse('`If-Match` is malformed.', BAD_IF_MATCH_EXAMPLE),
    errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
    errorResponse('The delivery is being sent, or nothing of it is going to be sent.', [
      'delivery_in_progress',
      'delivery_not_queued',
    ]),
  ],
  sdk: 'deliveries.cancel',
  tool: {
    title: 'Cancel the delivery to one account',
    description:
      'Ends a delivery that is queued: nothing more of the post is sent to this account, until retry_delivery. What is published stays.',
    hints: { destructiveHint: true, openWorldHint: false },
    takesNoConfirm: true,
  },
})
