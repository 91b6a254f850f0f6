import { Type } from '@sinclair/typebox'
import { PUBLISHED_POST_ID } from '../../delivery.ts'
import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { PostPath } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, IfMatchHeaders } from '../../precondition.ts'
import { RemovedPost } from '../../remove-post.ts'
import { JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { NOT_REMOVED } from './deliveries.ts'

export const removePost = defineOperation({
  method: 'POST',
  path: '/posts/:id/remove',
  scope: 'posts:publish',
  takesAccountLists: true,
  operationId: 'removePost',
  tag: 'posts',
  summary: 'Take a post down from all accounts',
  description:
    'Does what `removeDelivery` does for every account of the post. Accounts from which nothing can be removed are in `left` with the reason, such as a network that offers no way; their deliveries do not change. If that is so for all of them, the response is 409. The post itself stays here: delete it with `deletePost` once it is taken down everywhere. A body is ignored, and the call can be repeated safely.',
  params: Type.Object({ id: { ...PostPath.properties.id, examples: [PUBLISHED_POST_ID] } }),
  headers: IfMatchHeaders,
  success: {
    202: JsonResponse(RemovedPost, 'Workers take the post down, except from the accounts in `left`.', {
      removing: RemovedPost.examples[0],
    }),
  },
  errors: [
    invalidRequestResponse('`If-Match` is malformed.', BAD_IF_MATCH_EXAMPLE),
    errorResponse('You have no post with this id.', ['post_not_found']),
    errorResponse('Nothing of the post can be taken down. The reason is that of one account.', NOT_REMOVED),
  ],
  sdk: 'posts.remove',
  tool: {
    title: 'Take a post down from all accounts',
    description:
      'Deletes a published post from the networks of all its accounts, comments included. It cannot be undone. Takes confirm: true.',
    confirms: 'deletes the published post from all its accounts, for good',
    hints: { destructiveHint: true, idempotentHint: true },
  },
})
