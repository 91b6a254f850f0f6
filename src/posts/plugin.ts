import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import { listPosts } from '../../db/queries/posts.ts'
import { commonErrors, failure, shapeFailure, TOO_LARGE } from '../../schemas/error.ts'
import { CREATE_POST_EXAMPLES, CreatedPost, CreatePost, Deleted, PostList, PostPath } from '../../schemas/post.ts'
import { Answer, Body, PageQuery } from '../../schemas/shared.ts'
import { createPost } from './create.ts'
import { deletePost, POST_NOT_FOUND, POST_PUBLISHED } from './delete.ts'

const CREATE_FAILED = 'Failed to create post'

export const posts: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.post(
    '/posts',
    {
      config: { failure: CREATE_FAILED },
      schema: {
        operationId: 'createPost',
        tags: ['posts'],
        summary: 'Create a post',
        description:
          'Writes one post for one or more accounts: a draft without `scheduledAt`, else a scheduled post. Before anything is stored, the post is checked against the limits of every network it goes to; a draft may still lack what its networks require. It is stored whole or not at all.',
        body: Body(CreatePost, CREATE_POST_EXAMPLES),
        response: {
          201: Answer(CreatedPost, 'The post was stored.', { created: CreatedPost.examples[0] }),
          400: shapeFailure(
            'The body has another shape than documented (with `details`), or breaks a limit of a network (without).',
            'x (@ada): caption is 312 characters long, at most 280 are allowed',
          ),
          403: failure(
            'An account or media id that you may not use. Whether it exists is not told.',
            'You have no access to these accountIds: 0196f0a1-5b80-7f21-b8e6-44d09a7c5e32',
          ),
          413: failure('The body is too large.', TOO_LARGE),
          ...commonErrors,
          500: failure('Something failed that should not have. Nothing was stored.', CREATE_FAILED),
        },
      },
    },
    async (request, reply) => reply.code(201).send(await createPost(db, request.userId, request.body)),
  )

  app.get(
    '/posts',
    {
      schema: {
        operationId: 'listPosts',
        tags: ['posts'],
        summary: 'List posts',
        description: 'Your own posts, newest first, a page at a time.',
        querystring: PageQuery,
        response: {
          200: Answer(PostList, 'One page of your posts.', { page: PostList.examples[0] }),
          400: shapeFailure('`limit` or `offset` is no integer, or outside its range.'),
          ...commonErrors,
        },
      },
    },
    async (request) => {
      const { limit, offset } = request.query
      return { data: await listPosts(db, { userId: request.userId, limit, offset }), limit, offset }
    },
  )

  app.delete(
    '/posts/:id',
    {
      schema: {
        operationId: 'deletePost',
        tags: ['posts'],
        summary: 'Delete a post',
        description:
          'Deletes a draft or scheduled post of yours for good, here only: nothing is ever removed from a network. A published post cannot be deleted.',
        params: PostPath,
        response: {
          200: Answer(Deleted, 'The post no longer exists.', { deleted: Deleted.examples[0] }),
          400: failure('The post is published.', POST_PUBLISHED),
          404: failure('You have no post with this id.', POST_NOT_FOUND),
          ...commonErrors,
        },
      },
    },
    async (request) => deletePost(db, request.userId, request.params.id),
  )
}
