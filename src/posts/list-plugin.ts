import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../db/client.ts'
import { countPosts } from '../../schemas/operations/find.ts'
import { listPosts } from '../../schemas/operations/posts.ts'
import { countOwnPosts } from './count.ts'
import { listOwnPosts } from './list.ts'

/** Lists and counts of posts. */
export const postLists: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...listPosts,
    handler: async (request) => listOwnPosts(db, request, request.query),
  })

  app.route({
    ...countPosts,
    handler: async (request) => countOwnPosts(db, request, request.query),
  })
}
