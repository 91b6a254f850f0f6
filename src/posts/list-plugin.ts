import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as operations from '../../schemas/operations/index.ts'
import { countOwnPosts } from './count.ts'
import { type ListContext, listOwnPosts } from './list.ts'

/** Lists and counts of posts. */
export const postLists: FastifyPluginAsyncTypebox<ListContext> = async (app, context) => {
  const { db } = context

  app.route({
    ...operations.listPosts,
    handler: async (request) => listOwnPosts(context, request, request.query),
  })

  app.route({
    ...operations.countPosts,
    handler: async (request) => countOwnPosts(db, request, request.query),
  })
}
