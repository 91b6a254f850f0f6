import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import { countPosts, listDeliveries } from '../../schemas/operations/find.ts'
import { listPosts } from '../../schemas/operations/posts.ts'
import { countOwnPosts } from './count.ts'
import { listOwnDeliveries } from './find-deliveries.ts'
import { listOwnPosts } from './list.ts'

/** Lists and counts of posts and deliveries. */
export const findPosts: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...listPosts,
    handler: async (request) => listOwnPosts(db, request, request.query),
  })

  app.route({
    ...countPosts,
    handler: async (request) => countOwnPosts(db, request, request.query),
  })

  app.route({
    ...listDeliveries,
    handler: async (request) => listOwnDeliveries(db, request, request.query),
  })
}
