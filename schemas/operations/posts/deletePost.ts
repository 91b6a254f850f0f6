import { errorResponse, invalidRequestResponse } from '../../error.ts'
import { errorOf } from '../../errors.ts'
import { PostPath } from '../../post.ts'
import { BAD_IF_MATCH_EXAMPLE, IfMatchHeaders } from '../../precondition.ts'
import { Deleted, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'

export const deletePost = defineOperation({
  method: 'DELETE',
  path: '/posts/:id',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'for a scheduled post' },
  takesAccountLists: true,
  ignoresUnknownQuery: true,
  operationId: 'deletePost',
  tag: 'posts',
  summary: 'Delete a post',
  description: `Deletes a draft or a scheduled post of yours permanently. Nothing is removed from a network: a published post cannot be deleted (400) until it is taken down everywhere. A post whose deliveries have all failed is \`scheduled\` and can be deleted.

A post that is being sent cannot be deleted (409): a moment later it is published or can be deleted. A body is ignored.`,
  params: PostPath,
  headers: IfMatchHeaders,
  success: { 200: JsonResponse(Deleted, 'The post no longer exists.', { deleted: Deleted.examples[0] }) },
  errors: [
    invalidRequestResponse('The post is published, or `If-Match` is malformed.', BAD_IF_MATCH_EXAMPLE, [
      errorOf('post_published.unchangeable', 'delete'),
    ]),
    errorResponse('You have no post with this id.', ['post_not_found']),
    errorResponse('A worker is sending the post.', [errorOf('post_busy', 'delete')]),
  ],
  sdk: 'posts.delete',
  tool: {
    title: 'Delete a post',
    description:
      'Deletes a draft or a scheduled post for good. A post that is published, or may be, cannot be deleted until it is taken down everywhere.',
    hints: { destructiveHint: true, openWorldHint: false },
    takesNoConfirm: true,
  },
})
