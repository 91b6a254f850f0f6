import { FAILED_POST_ID, sandboxDeliveryPath } from '../../delivery.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { PostDetail } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders } from '../../precondition.ts'
import { RETRY_EXAMPLES, RetryDelivery } from '../../retry-delivery.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { DELIVERY_MISSING } from './deliveries.ts'

export const retryDelivery = defineOperation({
  method: 'POST',
  path: '/posts/:id/deliveries/:accountId/retry',
  scope: 'posts:publish',
  takesAccountLists: true,
  makesRenditions: true,
  hasOptionalBody: true,
  operationId: 'retryDelivery',
  tag: 'posts',
  summary: 'Retry the delivery to one account',
  description: `Makes the delivery to this account due immediately. Deliveries to other accounts are not affected. Only the acts that are not published yet are sent.

| state | effect |
|---|---|
| \`failed\`, \`missed\` | the delivery is sent; a thread continues with its first missing part |
| \`cancelled\` | as \`failed\`, and not before the time of the post |
| \`queued\`, waiting for the next attempt | the attempt is made now |
| \`published\` with an \`error\` | the first comment is sent |
| \`unconfirmed\` | the network is queried first; where it cannot be, 409: call \`resolveDelivery\` |
| \`waiting\`, \`queued\` before the time of the post, \`publishing\`, \`published\`, \`removing\`, \`removed\`, \`remove_failed\` | 409 |

A delivery whose post lacks a deleted file cannot be retried (409).

**Other content.** A delivery that the network has refused is rarely accepted as it is. The optional body changes its caption, its fields, its thread parts or its files for this account. They are checked as \`createPost\` checks them, for this account alone. Published parts of a thread and their files have to stay. The content cannot change while it may have been published (409). Change the caption and the files of all accounts, and the first comment, with \`updatePost\`.`,
  params: sandboxDeliveryPath(FAILED_POST_ID),
  headers: IfMatchHeaders,
  body: Body(RetryDelivery, RETRY_EXAMPLES),
  success: {
    202: {
      ...JsonResponse(PostDetail, 'The delivery is due.', { published: PostDetail.examples[0] }),
      ...ETAG_HEADERS,
    },
  },
  errors: [
    invalidRequestResponse(
      'With `details`: the body does not match its schema, or `If-Match` is malformed. Without: the content would break a limit of the network.',
      {
        ...BAD_IF_MATCH_EXAMPLE,
        publishedParts: {
          code: 'custom',
          path: ['threadParts'],
          message: 'The first 1 element(s) are published and have to stay',
        },
      },
      [errorOf('platform_limit', 'telegram (@ada): caption is 4097 characters long, at most 4096 are allowed')],
    ),
    errorResponse('You may no longer use the account, or a file of the post. Only with a body.', [
      errorOf('no_access.several', 'accountIds: 0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10'),
    ]),
    errorResponse('You have no post with this id, or it has no delivery to this account.', DELIVERY_MISSING),
    errorResponse('The delivery cannot be retried, or cannot be changed, in this state.', [
      'post_is_draft',
      'delivery_not_due',
      'delivery_in_progress',
      'delivery_published',
      'media_deleted',
      'delivery_unconfirmed',
      'delivery_unconfirmed.edited',
      'delivery_removed',
    ]),
    errorResponse('The body, or the post with its changes, is larger than 1 MiB.', [
      errorOf('body_too_large', 2 ** 20),
      'body_too_large.post',
    ]),
  ],
  sdk: 'deliveries.retry',
  tool: {
    title: 'Publish to one account again',
    description:
      'Makes a failed or missed delivery due now. With captionOverride, fields or threadParts, it is sent with that content. Takes confirm: true.',
    hints: { destructiveHint: true, idempotentHint: false },
  },
})
