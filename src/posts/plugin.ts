import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { CreatedPost } from '../../schemas/create-post.ts'
import * as operations from '../../schemas/operations/index.ts'
import { sendOutcome, withIdempotencyKey } from '../http/idempotency-key.ts'
import { pause } from '../http/pieces.ts'
import { isLong } from '../http/requests.ts'
import { hasScope, isListed, requireScope } from '../http/rights.ts'
import { withPost } from './access.ts'
import { postBatches } from './batch-plugin.ts'
import { readBody } from './body.ts'
import { checkPost } from './check.ts'
import { createKnownAccounts, createPost } from './create.ts'
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
  const known = createKnownAccounts()
  await app.register(postLists, context)
  await app.register(postBatches, { db, gapMs, makeRenditions })
  await app.register(queue, { db })

  app.route({
    ...operations.createPost,
    handler: async (request, reply) => {
      const { userId, body, rights } = request
      if (body.scheduledAt !== undefined || body.schedule) requireScope(rights, 'posts:publish')
      const isStrict = request.query.strict === true
      // Before a replay: another key of the user may have got the stored response.
      if (!body.accountIds.every((id) => isListed(rights, id))) {
        await fitting(() => checkPost(db, userId, readBody(body), rights))
      }
      const hasLongBody = isLong(request.bodyBytes)
      if (hasLongBody) await pause()
      const { keyId } = request
      const options = { isStrict, gapMs, keyId, listedIds: rights.accountIds, ...(!hasLongBody && { known }) }
      const outcome = await fitting(() =>
        withIdempotencyKey<CreatedPost>(db, reply, {
          identities: [isStrict ? { ...body, strict: true } : body],
          insert: (toStored) => createPost(db, userId, body, options, toStored),
          toResponse: (post) => ({ status: 201, body: post }),
        }),
      )
      return sendOutcome(reply, outcome)
    },
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
