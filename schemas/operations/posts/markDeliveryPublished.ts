import { DeliveryPath, MARK_EXAMPLES, MarkPublished } from '../../delivery.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { INVALID_URL, urlOfAnotherAccount } from '../../messages.ts'
import { PostDetail } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders } from '../../precondition.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING } from './deliveries.ts'

export const markDeliveryPublished = defineOperation({
  method: 'POST',
  path: '/posts/:id/deliveries/:accountId/mark-published',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'markDeliveryPublished',
  tag: 'posts',
  summary: 'Record that a delivery was published by hand',
  description: `Records that you have published the missing part on this account yourself, for example because the service cannot publish to its network. The delivery becomes \`published\`, and nothing more of it is sent. \`url\` is then the address of the act that was missing. Where the address of a post has its id, the delivery gets it as \`externalId\`, and its numbers are read; otherwise that is \`null\`. An address on another network, or of a post of another account, is refused. Deliveries to other accounts are not affected. The post becomes \`published\`: it can no longer be changed, nor deleted until it is taken down everywhere.

A draft has to be scheduled first (409). A delivery that is being sent, from which nothing is missing, or that was taken down, cannot be marked (409).`,
  params: DeliveryPath,
  headers: IfMatchHeaders,
  body: Body(MarkPublished, MARK_EXAMPLES),
  success: {
    200: {
      ...JsonResponse(PostDetail, 'The delivery is published.', { published: PostDetail.examples[0] }),
      ...ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'The body does not match its schema, `url` is not an http(s) address or belongs to another network or account, or `If-Match` is malformed.',
      {
        ...BAD_IF_MATCH_EXAMPLE,
        badUrl: { code: 'invalid_string', validation: 'url', path: ['url'], message: INVALID_URL },
        urlOfAnotherAccount: {
          code: 'custom',
          path: ['url'],
          message: urlOfAnotherAccount('lighthouses', 'ada'),
        },
      },
    ),
    errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
    errorResponse('The delivery cannot be marked in this state.', [
      'post_is_draft.marked',
      'delivery_in_progress',
      'delivery_published',
      'delivery_removed',
    ]),
  ],
  sdk: 'deliveries.markPublished',
})
