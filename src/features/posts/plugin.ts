import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as operations from '../../../schemas/operations/index.ts'
import { sendOutcome } from '../../base/http/idempotency-key.ts'
import { withPost } from './access.ts'
import { postBatches } from './batch-plugin.ts'
import { createOnce } from './create-once.ts'
import { deletePost } from './delete.ts'
import { readCondition, sendPost } from './etag.ts'
import { type MakeRenditions, withRenditions } from './fit.ts'
import type { ListContext } from './list.ts'
import { postLists } from './list-plugin.ts'
import { createKnownAccounts } from './load.ts'
import type { PostGap } from './nearby-warnings.ts'
import { publishPost } from './publish.ts'
import { queue } from './queue/plugin.ts'
import { updateWithWarnings } from './update.ts'
import { readValidation, validatePost } from './validate.ts'

interface PostsContext extends ListContext {
  postGapMs: PostGap
  makeRenditions: MakeRenditions
}

export const posts: FastifyPluginAsyncTypebox<PostsContext> = async (app, { postGapMs: gapMs, ...context }) => {
  const { db, makeRenditions } = context
  const fitting = <T>(work: () => Promise<T>) => withRenditions(makeRenditions, work)
  const creating = { db, gapMs, makeRenditions, known: createKnownAccounts() }
  await app.register(postLists, context)
  await app.register(postBatches, { db, gapMs, makeRenditions })
  await app.register(queue, { db })

  app.route({
    ...operations.createPost,
    handler: async (request, reply) => sendOutcome(reply, await createOnce(creating, request, reply)),
  })

  app.route({
    ...operations.validatePost,
    handler: async ({ userId, body, rights, query }) =>
      fitting(() => validatePost(db, userId, body, readValidation(rights, query, gapMs))),
  })

  app.route({
    ...operations.deletePost,
    handler: async (request) =>
      withPost(db, request, (post) =>
        deletePost(db, post, { ifMatch: readCondition(request), rights: request.rights }),
      ),
  })

  app.route({
    ...operations.updatePost,
    handler: async (request, reply) => {
      const { post, warnings } = await updateWithWarnings({ db, gapMs, makeRenditions }, request)
      return sendPost(reply, post, warnings.length > 0 ? { warnings } : {})
    },
  })

  app.route({
    ...operations.publishPost,
    handler: async (request, reply) => {
      const condition = readCondition(request)
      const published = await fitting(() => withPost(db, request, (post) => publishPost(db, post, condition)))
      return sendPost(reply.code(202), published)
    },
  })
}
