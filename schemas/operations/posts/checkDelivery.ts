import { DeliveryPath } from '../../delivery.ts'
import { DeliveryCheck } from '../../delivery-check.ts'
import { errorResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { REFRESH_PAUSE_SECONDS } from '../../metrics.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING } from './deliveries.ts'

export const checkDelivery = defineOperation({
  method: 'POST',
  path: '/posts/:id/deliveries/:accountId/check',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'checkDelivery',
  tag: 'posts',
  summary: 'Check whether a post is still there',
  description: `Asks the network now whether it shows the post, and reads its numbers with the same call, if it tells any. It is asked at most once in ${REFRESH_PAUSE_SECONDS} seconds: otherwise the response has the result of the last reading, and \`checkedAt\` tells. While the account rests, or its calls are kept for publishing, the network is not asked: the result is \`unknown\` with the error \`rate_limited\`, whose message says until when. A body is ignored. The post of the example is not published, so that the response is 409.

Where \`METRICS\` is on, workers look for each post as often as they read numbers. The event \`delivery.gone\` and the \`goneAt\` of a delivery say that one has disappeared. \`metrics.tellsGone\` of \`getPlatform\` says whether a network can be asked.`,
  params: DeliveryPath,
  success: { 200: JsonResponse(DeliveryCheck, 'The result.', { shown: DeliveryCheck.examples[0] }) },
  errors: [
    errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
    errorResponse('The network cannot be asked about the post.', [
      'delivery_not_published',
      'delivery_removed',
      'delivery_without_id',
      'metrics_off',
      errorOf('metrics_off.paid', 'X'),
      errorOf('check_not_offered', 'Telegram', 'No method of the Bot API reads a message or its views.'),
      errorOf('check_scope_missing', 'video.list', 'tiktok'),
    ]),
  ],
  sdk: 'deliveries.check',
})
