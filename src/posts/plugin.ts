import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listPosts } from '../../db/queries/posts.ts'
import * as deliveries from '../../schemas/operations/deliveries.ts'
import * as operations from '../../schemas/operations/posts.ts'
import { sendOutcome, withIdempotencyKey } from '../http/idempotency-key.ts'
import { readPage } from '../http/paging.ts'
import { createPost, type KnownAccounts } from './create.ts'
import { deletePost } from './delete.ts'
import { type RetryContext, resolveDelivery, retryDelivery } from './deliveries.ts'
import { getPost, publishPost } from './publish.ts'

export const posts: FastifyPluginAsyncTypebox<RetryContext> = async (app, context) => {
  const { db } = context
  const known: KnownAccounts = new Map()

  app.route({
    ...operations.createPost,
    handler: async (request, reply) => {
      const { userId, body } = request
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [body],
        commit: (transaction) => createPost(transaction, userId, body, known),
        toResponse: (post) => ({ status: 201, body: post }),
      })
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.listPosts,
    handler: async (request) => readPage(request.query, (page) => listPosts(db, { userId: request.userId, ...page })),
  })

  app.route({
    ...operations.deletePost,
    handler: async (request) => deletePost(db, request.userId, request.params.id),
  })

  app.route({
    ...operations.getPost,
    handler: async (request) => getPost(db, request.userId, request.params.id),
  })

  app.route({
    ...operations.publishPost,
    handler: async (request, reply) => reply.code(202).send(await publishPost(db, request.userId, request.params.id)),
  })

  app.route({
    ...deliveries.retryDelivery,
    handler: async (request, reply) => {
      const { id, accountId } = request.params
      return reply.code(202).send(await retryDelivery(context, { userId: request.userId, postId: id, accountId }))
    },
  })

  app.route({
    ...deliveries.resolveDelivery,
    handler: async (request) => {
      const { id, accountId } = request.params
      return resolveDelivery(db, { userId: request.userId, postId: id, accountId }, request.body)
    },
  })
}
