import {
  commonErrors,
  failure,
  invalidPage,
  MISSING_ACCOUNT_IDS,
  shapeFailure,
  TOO_LARGE,
  unavailable,
} from '../error.ts'
import { IdempotencyHeaders, keyTaken, REPLAYED, SEND_AGAIN } from '../idempotency.ts'
import { CREATE_FAILED, POST_BUSY, POST_NOT_FOUND, POST_PUBLISHED, PUBLISHED_ALREADY } from '../messages.ts'
import { CREATE_POST_EXAMPLES, CreatedPost, CreatePost, PostDetail, PostList, PostPath } from '../post.ts'
import { Answer, Body, Deleted, PageQuery } from '../shared.ts'
import { operation } from './operation.ts'

export const createPost = operation({
  method: 'POST',
  url: '/posts',
  config: { failure: CREATE_FAILED },
  schema: {
    operationId: 'createPost',
    tags: ['posts'],
    summary: 'Create a post',
    description:
      'Stores one post for one or more accounts: with `scheduledAt` it is scheduled, without it is a draft. First it is checked against the limits of every network that it goes to, for each account with the caption, fields and texts that hold there; a draft may still lack what a network asks for. A post is stored whole or not at all.\n\nThe ids in the examples exist in the demo only: elsewhere, put in those that `listAccounts` gives you.',
    headers: IdempotencyHeaders,
    body: Body(CreatePost, CREATE_POST_EXAMPLES),
    response: {
      201: {
        ...Answer(CreatedPost, 'The post was stored.', {
          draft: CreatedPost.examples[0],
          scheduled: CreatedPost.examples[1],
        }),
        ...REPLAYED,
      },
      400: shapeFailure(
        'The body is not what is described here (with `details`), or the post breaks a limit of a network (without).',
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
      403: failure('There are ids of accounts that `listAccounts` does not give you, or of media that are not yours.', {
        noAccess: 'You have no access to these accountIds: 0196f0c4-9a3d-7b15-8e20-5d7f41a6c893',
      }),
      ...keyTaken,
      413: failure('The body is too large.', { tooLarge: TOO_LARGE }),
      ...commonErrors,
      500: failure(`Something failed that should not have; the cause is in the service’s log. ${SEND_AGAIN}`, {
        failed: CREATE_FAILED,
      }),
      503: unavailable(
        ` If the connection broke at the last moment, the post is stored. ${SEND_AGAIN} Without a key, look at the list before.`,
      ),
    },
  },
})

export const listPosts = operation({
  method: 'GET',
  url: '/posts',
  schema: {
    operationId: 'listPosts',
    tags: ['posts'],
    summary: 'List posts',
    description:
      'Gives your own posts, newest first, a page at a time. `nextCursor` leads to the page after; it is `null` on the last one.',
    querystring: PageQuery,
    response: {
      200: Answer(PostList, 'One page of your posts.', { page: PostList.examples[0] }),
      400: invalidPage,
      ...commonErrors,
    },
  },
})

export const deletePost = operation({
  method: 'DELETE',
  url: '/posts/:id',
  schema: {
    operationId: 'deletePost',
    tags: ['posts'],
    summary: 'Delete a post',
    description:
      'Deletes a draft or a scheduled post of yours, for good. A published post stays: this service takes nothing down from a network.',
    params: PostPath,
    response: {
      200: Answer(Deleted, 'The post no longer exists.', { deleted: Deleted.examples[0] }),
      400: failure('The post is published.', { published: POST_PUBLISHED }),
      404: failure('You have no post with this id.', { notFound: POST_NOT_FOUND }),
      409: failure('The post is being sent at this moment.', { busy: POST_BUSY }),
      ...commonErrors,
    },
  },
})

export const getPost = operation({
  method: 'GET',
  url: '/posts/:id',
  schema: {
    operationId: 'getPost',
    tags: ['posts'],
    summary: 'Get a post, and what became of it',
    description: 'Gives one post of yours with its files, its accounts, and the delivery to each of them.',
    params: PostPath,
    response: {
      200: Answer(PostDetail, 'The post.', { published: PostDetail.examples[0] }),
      404: failure('You have no post with this id.', { notFound: POST_NOT_FOUND }),
      ...commonErrors,
    },
  },
})

export const publishPost = operation({
  method: 'POST',
  url: '/posts/:id/publish',
  schema: {
    operationId: 'publishPost',
    tags: ['posts'],
    summary: 'Publish a post now',
    description:
      'Makes a draft, or a scheduled post, due now: it is sent within a second, and `getPost` tells what becomes of it. A draft is checked as if it were scheduled. Takes no body. Calling it again changes nothing that is under way or out.',
    params: PostPath,
    response: {
      202: Answer(PostDetail, 'The post is due.', { published: PostDetail.examples[0] }),
      400: failure('The draft lacks something that a network asks for, or breaks one of its limits.', {
        incomplete: 'instagram (@ada): post has no media file, at least 1 is required',
      }),
      403: failure('The draft is for accounts, or shows media, that are no longer yours to use.', {
        noAccess: 'You have no access to these accountIds: 0196f0a1-5b7e-7c3a-9d42-1f6a3b8c2d10',
      }),
      404: failure('You have no post with this id.', { notFound: POST_NOT_FOUND }),
      409: failure('The post is published.', { published: PUBLISHED_ALREADY }),
      ...commonErrors,
    },
  },
})
