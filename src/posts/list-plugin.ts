import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import * as operations from '../../schemas/operations/index.ts'
import { countOwnPosts } from './count.ts'
import { listOwnPosts } from './list.ts'

/** Lists and counts of posts. */
export const postLists: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.listPosts,
    handler: async (request) => listOwnPosts(db, request, request.query),
  })

  app.route({
    ...operations.countPosts,
    handler: async (request) => countOwnPosts(db, request, request.query),
  })
}
