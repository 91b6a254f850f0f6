import { PUBLISHED_POST_ID, sandboxDeliveryPath } from '../../delivery.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { PostDetail } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders } from '../../precondition.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING, NOT_REMOVED } from './deliveries.ts'

export const removeDelivery = defineOperation({
  method: 'POST',
  path: '/posts/:id/deliveries/:accountId/remove',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'removeDelivery',
  tag: 'posts',
  summary: 'Take a post down from one account',
  description: `Deletes from the network what was published to this account: the first comment, then the parts of a thread from the last to the first, then the post. Deliveries to other accounts are not affected. A body is ignored.

The delivery is \`removing\` until the network has confirmed that every act is gone, then \`removed\`. What is gone already counts as removed. A failure that may pass is tried again, as in publishing. After a lasting one, the delivery is \`remove_failed\`: its \`error\` has the reason, and you can call this again. A delivery that is \`removing\` or \`removed\` stays as it is, so that the call can be repeated safely.

**Every call is safe to repeat, because deleting twice is deleting once.** A response that is lost is repeated, so that the outcome is never in doubt: \`removed\` means that the network has said so, or no longer shows the act.

Not every network offers a way, or for ever: \`getPlatform\` says which. Then, and where the id of what was published is unknown, the response is 409 with the reason, and nothing has changed. A delivery that is still to be sent is cancelled first. A post that is taken down everywhere can be deleted here with \`deletePost\`. A delivery that was taken down is not published again.`,
  params: sandboxDeliveryPath(PUBLISHED_POST_ID),
  headers: IfMatchHeaders,
  success: {
    202: {
      ...JsonResponse(PostDetail, 'A worker takes the post down, or has done so.', {
        published: PostDetail.examples[0],
      }),
      ...ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse('`If-Match` is malformed.', BAD_IF_MATCH_EXAMPLE),
    errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
    errorResponse('Nothing of the delivery is published, its outcome is open, or it cannot be removed.', NOT_REMOVED),
  ],
  sdk: 'deliveries.remove',
  tool: {
    title: 'Take a post down from one account',
    description:
      'Deletes from the network what was published to this account, comments included. It cannot be undone. get_post shows the state: removing, then removed. Takes confirm: true.',
    confirms: 'deletes the published post from this account, for good',
    hints: { destructiveHint: true, idempotentHint: true },
  },
})
