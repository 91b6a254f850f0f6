import { ValidatePostQuery } from '../../create-post.ts'
import { BATCH_LIST_MAX, CREATE_POSTS_EXAMPLES, CreatePosts, PostValidations } from '../../create-posts.ts'
import { invalidRequestResponse } from '../../error.ts'
import { Body, JsonResponse } from '../../shared.ts'
import { defineOperation } from '../define-operation.ts'
import { MISSING_IN_SECOND } from './batch.ts'

export const validatePosts = defineOperation({
  method: 'POST',
  path: '/posts/batch/validate',
  scope: 'posts:read',
  takesAccountLists: true,
  makesRenditions: true,
  operationId: 'validatePosts',
  tag: 'posts',
  summary: 'Check several posts without storing them',
  description: `Takes the body of \`createPosts\` and stores nothing. The response says how \`createPosts\` would respond to the same body and the same \`strict\` now, and for each post what \`validatePost\` says about it, with at most ${BATCH_LIST_MAX} entries in each list. Mistakes in the shape are 400 with \`details\`, the same as at \`createPosts\`.

The operation needs no \`Idempotency-Key\` and ignores one.`,
  query: ValidatePostQuery,
  body: Body(CreatePosts, CREATE_POSTS_EXAMPLES),
  success: { 200: JsonResponse(PostValidations, 'The posts were checked.', { tooLong: PostValidations.examples[0] }) },
  errors: [
    invalidRequestResponse('The body does not match its schema.', {
      missingAccountIds: MISSING_IN_SECOND,
    }),
  ],
  sdk: 'posts.validateMany',
})
