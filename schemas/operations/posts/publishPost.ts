import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { PostDetail, PostPath } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, ETAG_HEADERS, IfMatchHeaders } from '../../precondition.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const publishPost = defineOperation({
  method: 'POST',
  path: '/posts/:id/publish',
  scope: 'posts:publish',
  takesAccountLists: true,
  makesRenditions: true,
  operationId: 'publishPost',
  tag: 'posts',
  summary: 'Publish a post now',
  description: `Makes a draft or a scheduled post due now and sets its \`scheduledAt\` to the current time. A worker takes it within about a second; \`getPost\` shows the result. A draft is checked as if it were scheduled. A body is ignored.

Accounts with a time of their own lose it, and are due now too. Deliveries that have failed or were missed are due again. A cancelled delivery stays \`cancelled\` until you retry it. Deliveries that are being sent, \`unconfirmed\` or published are not changed, so the call can be repeated safely. If a delivery is already published, the post is \`published\` (409): retry single deliveries instead.`,
  params: PostPath,
  headers: IfMatchHeaders,
  success: {
    202: { ...JsonResponse(PostDetail, 'The post is due.', { published: PostDetail.examples[0] }), ...ETAG_HEADERS },
  },
  errors: [
    invalidRequestResponse(
      'The draft breaks a limit of a network, or lacks something that the network requires. Or `If-Match` is malformed.',
      BAD_IF_MATCH_EXAMPLE,
      [errorOf('platform_limit', 'instagram (@ada): post has no media file, at least 1 is required')],
    ),
    errorResponse('You may no longer use some of the accounts or files of the draft.', [
      errorOf('no_access.several', 'accountIds: 0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10'),
    ]),
    errorResponse('You have no post with this id.', ['post_not_found']),
    errorResponse('The post is already published, or all of its deliveries are cancelled.', [
      'post_published',
      'post_cancelled',
    ]),
  ],
  sdk: 'posts.publish',
  tool: {
    title: 'Publish a post now',
    description: 'Makes a draft or a scheduled post due now, for all its accounts. Takes confirm: true.',
    hints: { destructiveHint: true },
  },
})
