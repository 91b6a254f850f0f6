import { NOT_CONNECTED } from '../account.ts'
import { CREATE_POST_EXAMPLES, CreatedPost, CreatePost, CreatePostQuery } from '../create-post.ts'
import {
  CURSOR_AND_OFFSET,
  commonErrors,
  errorResponse,
  invalidRequestResponse,
  LIMIT_TOO_BIG,
  MISSING_ACCOUNT_IDS,
} from '../error.ts'
import { errorOf } from '../errors.ts'
import { ListedPost, ListPostsQuery, PostList } from '../find.ts'
import { IdempotencyHeaders, REPLAY_HEADERS } from '../idempotency.ts'
import { CURSOR_OF_ANOTHER_QUERY, OFFSET_WITH_FILTER } from '../messages.ts'
import { PostDetail, PostPath } from '../post.ts'
import {
  BAD_IF_MATCH_EXAMPLE,
  ETAG_HEADERS,
  IfMatchHeaders,
  IfNoneMatchHeaders,
  preconditionFailedResponse,
} from '../precondition.ts'
import { Body, Deleted, EmptyResponse, JsonResponse } from '../shared.ts'
import { createFailures } from './create-failures.ts'
import { defineOperation } from './define-operation.ts'

export const createPost = defineOperation({
  method: 'POST',
  url: '/posts',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'with `scheduledAt`' },
  config: { failure: errorOf('internal_error.createPost').message },
  takesAccountLists: true,
  ignoresUnknownQuery: true,
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

**Limits.** Each account is checked by the rules of its own network, with its own caption, fields and parts. A post over a limit is always rejected. Missing content, such as a file for Instagram or a title for YouTube, is checked when the post is scheduled: a draft may be incomplete. Where a network requires a title and \`fields\` has none, the first line of the caption is used. The \`textLengthMax\` of an account replaces the text limit of its network. Limits on duration and frame rate have a tolerance of a few hundredths, because files are no more precise. The message names the account, the rule, the actual value and the allowed value. It is about the first violation: \`validatePost\` returns all of them, and stores nothing.

**Warnings.** Where something in the post has no effect, or another one than you may expect, the response has \`warnings\`: parts of a thread that are not published, a key of \`fields\` that the network does not know or does not take in this post, a time in the past, an account that nothing can be published to at the moment. With \`strict=true\`, such a post is rejected with 400.

**Unknown keys are rejected,** so that a misspelt \`scheduledAt\` does not create a draft. \`null\` is accepted only for \`captionOverride\` and \`threadParts\` and as an entry of \`threadParts\`. An override or thread parts for an account that is not in \`accountIds\` are rejected.`,
    querystring: CreatePostQuery,
    headers: IdempotencyHeaders,
    body: Body(CreatePost, CREATE_POST_EXAMPLES),
    response: {
      201: {
        ...JsonResponse(CreatedPost, 'The post was stored.', {
          draft: CreatedPost.examples[0],
          scheduled: CreatedPost.examples[1],
          withWarning: CreatedPost.examples[2],
        }),
        ...REPLAY_HEADERS,
      },
      400: invalidRequestResponse(
        'With `details`: the body does not match its schema, or the post has warnings and the request has `strict=true`. Without: the post breaks a limit of a network.',
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
            message: "Unrecognized key(s) in object: 'scheduleAt'. Did you mean 'scheduledAt'?",
          },
        },
        {
          limitOfNetwork: errorOf(
            'platform_limit',
            'x (@ada): caption is 312 characters long, at most 280 are allowed',
          ),
          hasWarnings: {
            ...errorOf('warnings_not_allowed'),
            details: [{ code: 'custom', path: ['accountIds', 0], message: `x (@ada): ${NOT_CONNECTED.message}` }],
          },
        },
      ),
      403: errorResponse(
        'You may not use some of the accounts or files. The message names their ids. It does not tell whether they exist: compare them with `listAccounts`.',
        {
          noAccess: errorOf('no_access.several', 'accountIds: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
        },
      ),
      ...createFailures('the post'),
    },
  },
})

export const listPosts = defineOperation({
  method: 'GET',
  url: '/posts',
  scope: 'posts:read',
  takesAccountLists: true,
  ignoresUnknownQuery: true,
  schema: {
    operationId: 'listPosts',
    tags: ['posts'],
    summary: 'List posts',
    description: `Returns a page of your own posts, newest first. With \`organizationId\`, an admin of an organisation gets the posts of all its members that belong to it; \`userId\` tells whose each is. Use \`nextCursor\` as \`cursor\` to get the next page; it is \`null\` where there are no more pages. The operator may have published posts removed after a time.

**Filters** apply together. \`state\`, \`errorCode\`, \`accountId\` and \`platform\` select posts with a delivery that meets all of them. \`status\` cannot tell a post that failed from one that waits: use \`state=failed\`, or \`include=deliveries\`, which adds to each post the number of its deliveries in each state.

A request with filters looks at up to 250 posts, so that it is fast however many there are. A page may therefore be short, or empty, although more follows: read on until \`nextCursor\` is \`null\`. Such a request takes no \`offset\`.

Unknown query parameters are ignored, except for one whose name is almost that of a filter, or begins as a filter on a time does (400).`,
    querystring: ListPostsQuery,
    response: {
      200: JsonResponse(PostList, 'One page of your posts.', {
        page: PostList.examples[0],
        withDeliveries: { ...PostList.examples[0], data: [ListedPost.examples[2]] },
      }),
      403: errorResponse('You are not an admin of this organisation, or it does not exist.', {
        noAccess: errorOf('no_access', 'organizationId', '0196f0c4-9a3d-7b15-8e20-5d7f41a6c893'),
        notAdmin: errorOf('not_organization_admin.lists'),
      }),
      400: invalidRequestResponse(
        'A parameter is malformed or outside its range, has almost the name of a filter, or excludes another one.',
        {
          limitTooBig: LIMIT_TOO_BIG,
          cursorAndOffset: CURSOR_AND_OFFSET,
          cursorOfAnotherQuery: CURSOR_OF_ANOTHER_QUERY,
          offsetWithFilter: OFFSET_WITH_FILTER,
          mistypedFilter: {
            code: 'unrecognized_keys',
            keys: ['statuss'],
            path: [],
            message: "Unrecognized parameter 'statuss': did you mean 'status'?",
          },
        },
      ),
      ...commonErrors,
    },
  },
})

export const deletePost = defineOperation({
  method: 'DELETE',
  url: '/posts/:id',
  scope: 'posts:write',
  conditionalScope: { scope: 'posts:publish', when: 'for a scheduled post' },
  takesAccountLists: true,
  ignoresUnknownQuery: true,
  schema: {
    operationId: 'deletePost',
    tags: ['posts'],
    summary: 'Delete a post',
    description: `Deletes a draft or a scheduled post of yours permanently. Nothing is removed from a network: a published post cannot be deleted (400). A post whose deliveries have all failed is \`scheduled\` and can be deleted.

A post that is being sent cannot be deleted (409): a moment later it is published or can be deleted. A body is ignored.`,
    params: PostPath,
    headers: IfMatchHeaders,
    response: {
      200: JsonResponse(Deleted, 'The post no longer exists.', { deleted: Deleted.examples[0] }),
      400: invalidRequestResponse('The post is published, or `If-Match` is malformed.', BAD_IF_MATCH_EXAMPLE, {
        published: errorOf('post_published.unchangeable', 'delete'),
      }),
      404: errorResponse('You have no post with this id.', { notFound: errorOf('post_not_found') }),
      409: errorResponse('A worker is sending the post.', { busy: errorOf('post_busy', 'delete') }),
      ...preconditionFailedResponse,
      ...commonErrors,
    },
  },
})

export const getPost = defineOperation({
  method: 'GET',
  url: '/posts/:id',
  scope: 'posts:read',
  takesAccountLists: true,
  schema: {
    operationId: 'getPost',
    tags: ['posts'],
    summary: 'Get a post with its deliveries',
    description:
      'Returns one post of yours with its files, its accounts and the delivery to each of them: its state, the next attempt, the published acts, the last error, and every attempt. An account whose owner has to act has the same `attention` as in `listAccounts`. The tag *posts* explains the states.\n\nTo poll, send the `ETag` of the last response as `If-None-Match`: the response is 304 without a body where nothing has changed.',
    params: PostPath,
    headers: IfNoneMatchHeaders,
    response: {
      200: { ...JsonResponse(PostDetail, 'The post.', { published: PostDetail.examples[0] }), ...ETAG_HEADERS },
      304: EmptyResponse('The post is as it was at the `ETag` that you sent.', ETAG_HEADERS.headers),
      404: errorResponse('You have no post with this id.', { notFound: errorOf('post_not_found') }),
      ...commonErrors,
    },
  },
})

export const publishPost = defineOperation({
  method: 'POST',
  url: '/posts/:id/publish',
  scope: 'posts:publish',
  takesAccountLists: true,
  schema: {
    operationId: 'publishPost',
    tags: ['posts'],
    summary: 'Publish a post now',
    description: `Makes a draft or a scheduled post due now and sets its \`scheduledAt\` to the current time. A worker takes it within about a second; \`getPost\` shows the result. A draft is checked as if it were scheduled. A body is ignored.

Deliveries that have failed or were missed are due again. Cancelled ones stay cancelled: retry them. Deliveries that are being sent, \`unconfirmed\` or published are not changed, so the call can be repeated safely. Where something is already published, the post is \`published\` (409): retry single deliveries instead.`,
    params: PostPath,
    headers: IfMatchHeaders,
    response: {
      202: { ...JsonResponse(PostDetail, 'The post is due.', { published: PostDetail.examples[0] }), ...ETAG_HEADERS },
      400: invalidRequestResponse(
        'The draft breaks a limit of a network, or lacks something that the network requires. Or `If-Match` is malformed.',
        BAD_IF_MATCH_EXAMPLE,
        { incomplete: errorOf('platform_limit', 'instagram (@ada): post has no media file, at least 1 is required') },
      ),
      403: errorResponse('You may no longer use some of the accounts or files of the draft.', {
        noAccess: errorOf('no_access.several', 'accountIds: 0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10'),
      }),
      404: errorResponse('You have no post with this id.', { notFound: errorOf('post_not_found') }),
      409: errorResponse('The post is already published, or all of its deliveries are cancelled.', {
        published: errorOf('post_published'),
        cancelled: errorOf('post_cancelled'),
      }),
      ...preconditionFailedResponse,
      ...commonErrors,
    },
  },
})
