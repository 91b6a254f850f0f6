import { errorResponse } from '../../error.ts'
import { PostDetail, PostPath } from '../../post.ts'
import { ETAG_HEADERS, IfNoneMatchHeaders } from '../../precondition.ts'
import { EmptyResponse, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const getPost = defineOperation({
  method: 'GET',
  path: '/posts/:id',
  scope: 'posts:read',
  takesAccountLists: true,
  operationId: 'getPost',
  tag: 'posts',
  summary: 'Get a post with its deliveries',
  description:
    'Returns one post of yours with its files, its accounts and the delivery to each of them: its state, the next attempt, the published acts, the last error, and every attempt. An account whose owner has to act has the same `attention` as in `listAccounts`. The tag *posts* explains the states.\n\nTo poll, send the `ETag` of the last response as `If-None-Match`: the response is 304 without a body where nothing has changed.',
  params: PostPath,
  headers: IfNoneMatchHeaders,
  success: {
    200: { ...JsonResponse(PostDetail, 'The post.', { published: PostDetail.examples[0] }), ...ETAG_HEADERS },
    304: EmptyResponse('The post is as it was at the `ETag` that you sent.', ETAG_HEADERS.headers),
  },
  errors: [errorResponse('You have no post with this id.', ['post_not_found'])],
  sdk: 'posts.get',
  tool: {
    title: 'Get a post',
    description:
      'Returns a post with the delivery to each of its accounts: its state, its address on the network, and why it failed.',
  },
})
