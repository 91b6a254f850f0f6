import { CREATE_POST_EXAMPLES, CreatedPost, CreatePost } from '../create-post.ts'
import {
  bodyTooLargeResponse,
  commonErrors,
  errorResponse,
  invalidPageResponse,
  invalidRequestResponse,
  MISSING_ACCOUNT_IDS,
  unavailableResponse,
} from '../error.ts'
import { IdempotencyHeaders, keyReusedResponse, REPLAY_HEADERS, RETRY_ADVICE } from '../idempotency.ts'
import { CREATE_FAILED, POST_BUSY, POST_NOT_FOUND, POST_PUBLISHED, PUBLISHED_ALREADY } from '../messages.ts'
import { PostDetail, PostList, PostPath } from '../post.ts'
import { Body, Deleted, JsonResponse, PageQuery } from '../shared.ts'
import { defineOperation } from './define-operation.ts'

export const createPost = defineOperation({
  method: 'POST',
  url: '/posts',
  config: { failure: CREATE_FAILED },
  schema: {
    operationId: 'createPost',
    tags: ['posts'],
    summary: 'Create a post',
    description: `Stores one post for one or more accounts: scheduled with \`scheduledAt\`, otherwise as a draft. The ids in the examples are placeholders: use those from \`listAccounts\` and \`listMedia\`.

**Order of the checks:**

1. API key: 401
2. Shape of the body: 400 with \`details\`
3. Limits of the networks, for the accounts and files that you may use: 400 without \`details\`
4. Access to all accounts and files: 403

The post is stored whole or not at all.

**Limits.** Each account is checked by the rules of its own network, with its own caption, fields and parts. A post over a limit is always rejected. Missing content, such as a file for Instagram or a title for YouTube, is checked when the post is scheduled: a draft may be incomplete. Where a network requires a title and \`fields\` has none, the first line of the caption is used. The \`textLengthMax\` of an account replaces the text limit of its network. Limits on duration and frame rate have a tolerance of a few hundredths, because files are no more precise. The message names the account, the rule, the actual value and the allowed value.

**Unknown keys are rejected,** so that a misspelt \`scheduledAt\` does not create a draft. \`null\` is accepted only for \`captionOverride\` and \`threadParts\` and as an entry of \`threadParts\`. An override or thread parts for an account that is not in \`accountIds\` are rejected.`,
    headers: IdempotencyHeaders,
    body: Body(CreatePost, CREATE_POST_EXAMPLES),
    response: {
      201: {
        ...JsonResponse(CreatedPost, 'The post was stored.', {
          draft: CreatedPost.examples[0],
          scheduled: CreatedPost.examples[1],
        }),
        ...REPLAY_HEADERS,
      },
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema. Without: the post breaks a limit of a network.',
        {
          missingAccountIds: MISSING_ACCOUNT_IDS,
          timeWithoutZone: {
            code: 'invalid_string',
            validation: 'datetime',
            path: ['scheduledAt'],
            message: 'Invalid datetime: no time zone given, end it with Z or an offset such as +02:00',
          },
          unknownKey: {
            code: 'unrecognized_keys',
            keys: ['scheduleAt'],
            path: [],
            message: "Unrecognized key(s) in object: 'scheduleAt'",
          },
        },
        { limitOfNetwork: 'x (@ada): caption is 312 characters long, at most 280 are allowed' },
      ),
      403: errorResponse(
        'You may not use some of the accounts or files. The message names their ids. It does not tell whether they exist: compare them with `listAccounts`.',
        {
          noAccess: 'You have no access to these accountIds: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893',
        },
      ),
      ...keyReusedResponse,
      ...bodyTooLargeResponse,
      ...commonErrors,
      500: errorResponse(`An unexpected failure. The log of the service has the cause. ${RETRY_ADVICE}`, {
        failed: CREATE_FAILED,
      }),
      503: unavailableResponse(
        ` If the connection broke during the commit, the post may be stored. ${RETRY_ADVICE} Without a key, check the list before.`,
      ),
    },
  },
})

export const listPosts = defineOperation({
  method: 'GET',
  url: '/posts',
  schema: {
    operationId: 'listPosts',
    tags: ['posts'],
    summary: 'List posts',
    description:
      'Returns a page of your own posts, newest first. Use `nextCursor` as `cursor` to get the next page; it is `null` where there are no more pages. The operator may have published posts removed after a time. Unknown query parameters are ignored.',
    querystring: PageQuery,
    response: {
      200: JsonResponse(PostList, 'One page of your posts.', { page: PostList.examples[0] }),
      400: invalidPageResponse,
      ...commonErrors,
    },
  },
})

export const deletePost = defineOperation({
  method: 'DELETE',
  url: '/posts/:id',
  schema: {
    operationId: 'deletePost',
    tags: ['posts'],
    summary: 'Delete a post',
    description: `Deletes a draft or a scheduled post of yours permanently. Nothing is removed from a network: a published post cannot be deleted (400). A post whose deliveries have all failed is \`scheduled\` and can be deleted.

A post that is being sent cannot be deleted (409): a moment later it is published or can be deleted. A body is ignored.`,
    params: PostPath,
    response: {
      200: JsonResponse(Deleted, 'The post no longer exists.', { deleted: Deleted.examples[0] }),
      400: errorResponse('The post is published.', { published: POST_PUBLISHED }),
      404: errorResponse('You have no post with this id.', { notFound: POST_NOT_FOUND }),
      409: errorResponse('A worker is sending the post.', { busy: POST_BUSY }),
      ...commonErrors,
    },
  },
})

export const getPost = defineOperation({
  method: 'GET',
  url: '/posts/:id',
  schema: {
    operationId: 'getPost',
    tags: ['posts'],
    summary: 'Get a post with its deliveries',
    description:
      'Returns one post of yours with its files, its accounts and the delivery to each of them: its state, the next attempt, the published acts, the last error, and every attempt. The tag *posts* explains the states.',
    params: PostPath,
    response: {
      200: JsonResponse(PostDetail, 'The post.', { published: PostDetail.examples[0] }),
      404: errorResponse('You have no post with this id.', { notFound: POST_NOT_FOUND }),
      ...commonErrors,
    },
  },
})

export const publishPost = defineOperation({
  method: 'POST',
  url: '/posts/:id/publish',
  schema: {
    operationId: 'publishPost',
    tags: ['posts'],
    summary: 'Publish a post now',
    description: `Makes a draft or a scheduled post due now and sets its \`scheduledAt\` to the current time. A worker takes it within about a second; \`getPost\` shows the result. A draft is checked as if it were scheduled. A body is ignored.

Deliveries that have failed or were missed are due again. Deliveries that are being sent, \`unconfirmed\` or published are not changed, so the call can be repeated safely. Where something is already published, the post is \`published\` (409): retry single deliveries instead.`,
    params: PostPath,
    response: {
      202: JsonResponse(PostDetail, 'The post is due.', { published: PostDetail.examples[0] }),
      400: errorResponse('The draft breaks a limit of a network, or lacks something that the network requires.', {
        incomplete: 'instagram (@ada): post has no media file, at least 1 is required',
      }),
      403: errorResponse('You may no longer use some of the accounts or files of the draft.', {
        noAccess: 'You have no access to these accountIds: 0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10',
      }),
      404: errorResponse('You have no post with this id.', { notFound: POST_NOT_FOUND }),
      409: errorResponse('The post is already published.', { published: PUBLISHED_ALREADY }),
      ...commonErrors,
    },
  },
})
