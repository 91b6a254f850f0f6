import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as operations from '../../../schemas/operations/index.ts'
import { isKnown } from '../../base/http/preconditions.ts'
import { withPost } from './access.ts'
import { countOwnPosts } from './count.ts'
import { toPostDetail } from './detail.ts'
import { etagOf } from './etag.ts'
import { readPost } from './get.ts'
import { type ListContext, listOwnPosts } from './list.ts'

/** Operations that read posts. */
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

  app.route({
    ...operations.getPost,
    handler: async (request, reply) => {
      const post = toPostDetail(await withPost(db, request, (post) => readPost(db, post)))
      const etag = etagOf(post)
      reply.header('etag', etag)
      return isKnown(request, etag) ? reply.code(304).send() : post
    },
  })
}
