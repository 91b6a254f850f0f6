import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as operations from '../../schemas/operations/index.ts'
import { sendOutcome } from '../http/idempotency-key.ts'
import { hasScope, requireScope } from '../http/rights.ts'
import { withPost } from './access.ts'
import { postBatches } from './batch-plugin.ts'
import { createKnownAccounts } from './create.ts'
import { createOnce } from './create-once.ts'
import { deletePost } from './delete.ts'
import { toPostDetail } from './detail.ts'
import { etagOf, readCondition, sendPost } from './etag.ts'
import { type MakeRenditions, withRenditions } from './fit.ts'
import type { ListContext } from './list.ts'
import { postLists } from './list-plugin.ts'
import type { PostGap } from './nearby-warnings.ts'
import { publishPost } from './publish.ts'
import { queue } from './queue/plugin.ts'
import { updatePost } from './update.ts'
import { readUpdateWarnings, requireNoWarnings, withMedia } from './update-warnings.ts'
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
    handler: async (request) => {
      const draftsOnly = !hasScope(request.rights, 'posts:publish')
      const conditions = { ifMatch: readCondition(request), draftsOnly }
      return withPost(db, request, (post) => deletePost(db, post, conditions))
    },
  })

  app.route({
    ...operations.updatePost,
    handler: async (request, reply) => {
      const { body, rights } = request
      if (typeof body.scheduledAt === 'string' || body.schedule) requireScope(rights, 'posts:publish')
      const conditions = {
        ifMatch: readCondition(request),
        draftsOnly: !hasScope(rights, 'posts:publish'),
        confirm: request.query.strict === true ? requireNoWarnings(body) : undefined,
        mover: { userId: request.userId, accountIds: rights.accountIds },
      }
      const updated = await fitting(() =>
        withPost(db, request, async (access) =>
          withMedia(db, access.userId, await updatePost(db, access, body, conditions)),
        ),
      )
      const post = toPostDetail(updated.post)
      const warnings = await readUpdateWarnings(db, updated, body, gapMs)
      reply.header('etag', etagOf(post))
      return { ...post, ...(warnings.length > 0 && { warnings }) }
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
