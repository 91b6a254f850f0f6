import { CreatePostQuery } from '../../create-post.ts'
import {
  BATCH,
  BATCH_LIST_MAX,
  CREATE_POSTS_EXAMPLES,
  CreatedPosts,
  CreatePosts,
  RejectedPost,
  RejectedPosts,
} from '../../create-posts.ts'
import { type ErrorResponses, eitherResponse, errorResponse, invalidRequestResponse } from '../../error.ts'
import { type CodedError, errorOf } from '../../errors.ts'
import { IdempotencyHeaders, keyReusedResponse, REPLAY_HEADERS } from '../../idempotency.ts'
import { Body, JsonResponse, Ref } from '../../shared.ts'
import { createFailures } from '../create-failures.ts'
import { defineOperation } from '../define-operation.ts'
import { MISSING_IN_SECOND } from './batch.ts'
import { QUEUE_ERRORS } from './queue.ts'

const NO_ACCESS = errorOf('no_access.several', 'accountIds: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893')

const rejected = RejectedPost.examples

const [WITHOUT_SLOTS] = QUEUE_ERRORS

/** The error of a batch whose first post has no violation. */
const withFirst = (error: CodedError) => {
  const { statusCode: status, code, message } = error
  return { ...error, rejected: [{ index: 0, status, code, error: message, violations: [] }] }
}

/** An error response whose body may list the rejected posts. */
const withRejected = (responses: ErrorResponses): ErrorResponses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, { ...response, ...Ref(RejectedPosts) }]),
  )

export const createPosts = defineOperation({
  method: 'POST',
  path: '/posts/batch',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'with `scheduledAt` or `schedule` in any of the posts' },
  failure: errorOf('internal_error.createPost').message,
  takesAccountLists: true,
  makesRenditions: true,
  operationId: 'createPosts',
  tag: 'posts',
  summary: 'Create several posts',
  description: `Stores 1 to ${BATCH.postsMax} posts in one transaction. Each is checked as \`createPost\` checks it, and rejected posts have all of their violations.

| \`mode\` | all posts can be stored | some are rejected |
|---|---|---|
| \`all\` | 201 | 400, 403 or 409, the status of the first rejected post; \`rejected\` lists all of them, and nothing is stored |
| \`each\` | 200 | 200; the others are stored, and \`rejected\` lists these |

**Warnings.** With \`strict=true\`, a post with warnings counts as rejected, in both modes: \`details\` of its entry in \`rejected\` lists the warnings.

**Limits.** The body is at most 1 MiB, which is 10 KiB for each of ${BATCH.postsMax} posts: send longer ones in smaller batches. All posts together go to at most ${BATCH.accountsMax} accounts. \`fields\` may be 30 levels deep. Each list of one post, such as its \`warnings\`, has at most ${BATCH_LIST_MAX} entries.

A mistake in the shape of one post rejects the request as a whole, in both modes: 400 with \`details\`.

**Retries.** One \`Idempotency-Key\` covers the request. With \`each\`, the response is kept even if some or all posts were rejected: send corrected posts with another key.`,
  query: CreatePostQuery,
  headers: IdempotencyHeaders,
  body: Body(CreatePosts, CREATE_POSTS_EXAMPLES),
  success: {
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
  },
  errors: [
    withRejected(
      invalidRequestResponse(
        'With `details`: the body does not match its schema. With `rejected`: the first rejected post breaks a limit of a network, or has warnings and the request has `strict=true`.',
        { missingAccountIds: MISSING_IN_SECOND },
        [
          { ...errorOf('platform_limit', rejected[0].error), rejected: [rejected[0]] },
          { ...errorOf('warnings_not_allowed'), rejected: [rejected[1]] },
        ],
      ),
    ),
    withRejected(
      errorResponse('You may not use some of the accounts or files of the first rejected post.', [
        withFirst(NO_ACCESS),
      ]),
    ),
    eitherResponse(
      withRejected(
        errorResponse('With `schedule`: the first rejected post gets no slots.', [withFirst(WITHOUT_SLOTS!)]),
      ),
      keyReusedResponse,
    ),
    createFailures('the posts'),
  ],
  sdk: 'posts.createMany',
})
