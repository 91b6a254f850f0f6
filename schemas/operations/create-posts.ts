import { CreatePostQuery } from '../create-post.ts'
import {
  BATCH,
  BATCH_LIST_MAX,
  CREATE_POSTS_EXAMPLES,
  CreatedPosts,
  CreatePosts,
  PostValidations,
  RejectedPost,
  RejectedPosts,
} from '../create-posts.ts'
import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  invalidRequestResponse,
  MISSING_ACCOUNT_IDS,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../idempotency.ts'
import { Body, JsonResponse } from '../shared.ts'
import { createFailures } from './create-failures.ts'
import { defineOperation } from './define-operation.ts'

const MISSING_IN_SECOND = { ...MISSING_ACCOUNT_IDS, path: ['posts', 1, 'accountIds'] }
const NO_ACCESS = errorOf('no_access.several', 'accountIds: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893')
const { statusCode: status, code, message } = NO_ACCESS
const rejected = RejectedPost.examples
/** An error response whose body may list the rejected posts. */
const withRejected = (response: ReturnType<typeof errorResponse>) => ({ ...response, $ref: RejectedPosts.$id! })

export const createPosts = defineOperation({
  method: 'POST',
  url: '/posts/batch',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'with `scheduledAt` in any of the posts' },
  config: { failure: errorOf('internal_error.createPost').message },
  takesAccountLists: true,
  schema: {
    operationId: 'createPosts',
    tags: ['posts'],
    summary: 'Create several posts',
    description: `Stores 1 to ${BATCH.postsMax} posts in one transaction. Each is checked as \`createPost\` checks it, and rejected posts have all of their violations.

| \`mode\` | all posts can be stored | some are rejected |
|---|---|---|
| \`all\` | 201 | 400 or 403, the status of the first rejected post; \`rejected\` lists all of them, and nothing is stored |
| \`each\` | 200 | 200; the others are stored, and \`rejected\` lists these |

**Warnings.** With \`strict=true\`, a post with warnings counts as rejected, in both modes: \`details\` of its entry in \`rejected\` lists the warnings.

**Limits.** The body is at most 1 MiB, which is 10 KiB for each of ${BATCH.postsMax} posts: send longer ones in smaller batches. All posts together go to at most ${BATCH.accountsMax} accounts. \`fields\` may be 30 levels deep. Each list of one post, such as its \`warnings\`, has at most ${BATCH_LIST_MAX} entries.

A mistake in the shape of one post rejects the request as a whole, in both modes: 400 with \`details\`.

**Retries.** One \`Idempotency-Key\` covers the request. With \`each\`, the response is kept even if some or all posts were rejected: send corrected posts with another key.`,
    querystring: CreatePostQuery,
    headers: IdempotencyHeaders,
    body: Body(CreatePosts, CREATE_POSTS_EXAMPLES),
    response: {
      200: {
        ...JsonResponse(CreatedPosts, 'With `mode` `each`: the posts in `data` were stored.', {
          some: CreatedPosts.examples[1],
        }),
        ...REPLAY_HEADERS,
      },
      201: {
        ...JsonResponse(CreatedPosts, 'With `mode` `all`: all posts were stored.', { all: CreatedPosts.examples[0] }),
        ...REPLAY_HEADERS,
      },
      400: withRejected(
        invalidRequestResponse(
          'With `details`: the body does not match its schema. With `rejected`: the first rejected post breaks a limit of a network, or has warnings and the request has `strict=true`.',
          { missingAccountIds: MISSING_IN_SECOND },
          {
            limitOfNetwork: { ...errorOf('platform_limit', rejected[0].error), rejected: [rejected[0]] },
            hasWarnings: { ...errorOf('warnings_not_allowed'), rejected: [rejected[1]] },
          },
        ),
      ),
      403: withRejected(
        errorResponse('You may not use some of the accounts or files of the first rejected post.', {
          noAccess: { ...NO_ACCESS, rejected: [{ index: 0, status, code, error: message, violations: [] }] },
        }),
      ),
      ...createFailures('the posts'),
    },
  },
})

export const validatePosts = defineOperation({
  method: 'POST',
  url: '/posts/batch/validate',
  scope: 'posts:read',
  takesAccountLists: true,
  schema: {
    operationId: 'validatePosts',
    tags: ['posts'],
    summary: 'Check several posts without storing them',
    description: `Takes the body of \`createPosts\` and stores nothing. The response says how \`createPosts\` would respond to the same body and the same \`strict\` now, and for each post what \`validatePost\` says about it, with at most ${BATCH_LIST_MAX} entries in each list. Mistakes in the shape are 400 with \`details\`, the same as at \`createPosts\`.

The operation needs no \`Idempotency-Key\` and ignores one.`,
    querystring: CreatePostQuery,
    body: Body(CreatePosts, CREATE_POSTS_EXAMPLES),
    response: {
      200: JsonResponse(PostValidations, 'The posts were checked.', { tooLong: PostValidations.examples[0] }),
      400: invalidRequestResponse('The body does not match its schema.', {
        missingAccountIds: MISSING_IN_SECOND,
      }),
      ...bodyTooLargeResponse,
      ...commonErrors,
    },
  },
})
