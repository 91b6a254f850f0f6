import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as operations from '../../schemas/operations/index.ts'
import type { PostDetail } from '../../schemas/post.ts'

/*
 * `npm run typecheck` tests this file: an operation gives its handler the types of its request and responses. Each
 * `@ts-expect-error` fails where the mistake below it compiles.
 */

declare const post: PostDetail

export const handlers: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    ...operations.publishPost,
    handler: async ({ params }, reply) => {
      const id: string = params.id
      // @ts-expect-error an undeclared status
      reply.code(418).send(post)
      // @ts-expect-error a body of another status
      reply.code(202).send({ error: id })
      return reply.code(202).send(post)
    },
  })

  app.route({
    ...operations.resolveDelivery,
    handler: async ({ body }) => {
      const outcome: 'published' | 'not_published' = body.outcome
      // @ts-expect-error an unknown key of the body
      const state = body.state
      return { ...post, caption: outcome + state }
    },
  })

  // @ts-expect-error a body that no response declares
  app.route({ ...operations.listPosts, handler: async ({ query }) => ({ limit: query.limit }) })
}
