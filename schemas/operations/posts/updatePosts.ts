import { BAD_SHIFT, CHANGE_POSTS_EXAMPLES, ChangedPosts, ChangePosts } from '../../change-posts.ts'
import { CreatePostQuery } from '../../create-post.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../../idempotency.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { describeSelection, selectionErrors } from './selection.ts'

export const updatePosts = defineOperation({
  method: 'PATCH',
  path: '/posts/batch',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'for a scheduled post, or with a time in `set`' },
  takesAccountLists: true,
  operationId: 'updatePosts',
  tag: 'posts',
  summary: 'Change several posts',
  description: `Makes the same change to several posts, each as \`updatePost\` makes it: \`set\` has new values, and \`shift\` moves the posts in time.

${describeSelection('changes')}

**Times that have passed.** A post that the change would publish immediately is rejected with \`time_in_past\`: a scheduled one that moves into the past, and a failed or missed one that would begin again. \`allowPast\` publishes them.

**Shifting.** A draft has no time, and is rejected. A post in slots leaves them. A post keeps its time zone.

**Retries.** A repeated \`shift\` shifts again: send it with an \`Idempotency-Key\`. A repeated request with the key changes no post a second time, even if the first one was cut off in the middle, and tries those again that were rejected. Entries of posts that were changed before have no warnings about other posts.

With \`strict=true\`, a post that would have warnings is rejected, and stays as it is.`,
  query: CreatePostQuery,
  headers: IdempotencyHeaders,
  body: Body(ChangePosts, CHANGE_POSTS_EXAMPLES),
  success: {
    200: {
      ...JsonResponse(ChangedPosts, 'The posts in `data` are changed.', {
        shifted: ChangedPosts.examples[0],
        rejected: ChangedPosts.examples[1],
        dryRun: ChangedPosts.examples[2],
      }),
      ...REPLAY_HEADERS,
    },
  },
  errors: selectionErrors({ invalidShift: BAD_SHIFT }),
  sdk: 'posts.updateMany',
  tool: {
    title: 'Change several posts',
    description:
      'Makes the same change to up to 500 posts, by ids or filters: set has new values, and shift moves them in time. With dryRun: true, it only returns their ids. Each post has its own outcome: a repeated call shifts those in data again.',
    forDrafts: {
      title: 'Change several drafts',
      description: 'Makes the same change to up to 500 drafts, by ids or filters. Each has its own outcome.',
    },
    hints: { destructiveHint: true, idempotentHint: false },
    confirms: 'changes all these posts',
  },
})
