import { DELETE_POSTS_EXAMPLES, DeletedPosts, DeletePosts } from '../../change-posts.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { describeSelection, selectionErrors } from './selection.ts'

export const deletePosts = defineOperation({
  method: 'POST',
  path: '/posts/delete',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:read', when: 'with `filters` or `dryRun`' },
  takesAccountLists: true,
  operationId: 'deletePosts',
  tag: 'posts',
  summary: 'Delete several posts',
  description: `Deletes drafts and scheduled posts permanently, each as \`deletePost\` deletes it. Nothing is removed from a network, and a published post is rejected. A scheduled post needs the scope \`posts:publish\` too.

${describeSelection('deletes')}

A repeated request rejects the posts that are deleted with 404, and changes nothing.`,
  body: Body(DeletePosts, DELETE_POSTS_EXAMPLES),
  success: {
    200: JsonResponse(DeletedPosts, 'The posts in `data` no longer exist.', {
      deleted: DeletedPosts.examples[0],
      rejected: DeletedPosts.examples[1],
      dryRun: DeletedPosts.examples[2],
    }),
  },
  errors: selectionErrors({}),
  sdk: 'posts.deleteMany',
})
