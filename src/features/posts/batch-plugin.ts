import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../../../db/client.ts'
import type { CreatePosts } from '../../../schemas/create-posts.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { sendErrorBody } from '../../base/http/errors.ts'
import { sendOutcome, withIdempotencyKey } from '../../base/http/idempotency-key.ts'
import { isLong } from '../../base/http/requests.ts'
import { isListed } from '../../base/http/rights.ts'
import { changePosts, deletePosts } from './change-many.ts'
import { createPosts, measureTexts, RejectedBatch, validatePosts, withDefaults } from './create-many.ts'
import { type MakeRenditions, withRenditions } from './fit.ts'
import type { PostGap } from './nearby-warnings.ts'
import { isScheduling, requirePostScope } from './scope.ts'
import { readValidation } from './validate.ts'

interface BatchContext {
  db: Db
  gapMs: PostGap
  makeRenditions: MakeRenditions
}

/** Operations on many posts. */
export const postBatches: FastifyPluginAsyncTypebox<BatchContext> = async (app, { db, gapMs, makeRenditions }) => {
  app.route({
    ...operations.createPosts,
    handler: async (request, reply) => {
      const { userId, rights } = request
      const isStrict = request.query.strict === true
      const body = withDefaults(request.body)
      requirePostScope(rights, body.posts.some(isScheduling))
      try {
        const outcome = await withRenditions(makeRenditions, () =>
          withIdempotencyKey(db, reply, {
            identities: [isStrict ? { ...identityOf(body, request), strict: true } : identityOf(body, request)],
            prepare: async () => (isLong(request.bodyBytes) ? measureTexts(db, userId, body, rights) : undefined),
            commit: (transaction, texts) =>
              createPosts(transaction, userId, body, { rights, isStrict, gapMs, keyId: request.keyId }, texts),
            toResponse: (result) => ({ status: body.mode === 'all' ? 201 : 200, body: { ...result } }),
          }),
        )
        return sendOutcome(reply, outcome)
      } catch (error) {
        return sendRejection(reply, error)
      }
    },
  })

  app.route({
    ...operations.updatePosts,
    handler: async (request, reply) =>
      sendOutcome(reply, await changePosts({ db, gapMs, makeRenditions }, request, reply)),
  })

  app.route({
    ...operations.deletePosts,
    handler: async (request) => deletePosts(db, request),
  })

  app.route({
    ...operations.validatePosts,
    handler: async ({ userId, rights, body, query }) =>
      withRenditions(makeRenditions, () =>
        validatePosts(db, userId, withDefaults(body), readValidation(rights, query, gapMs)),
      ),
  })
}

/**
 * Includes the key's accounts if the body has accounts that the key does not list: the request then differs from one
 * that another key sent with the same body.
 */
function identityOf(body: CreatePosts, { rights }: FastifyRequest): object {
  const isUsable = body.posts.every(({ accountIds }) => accountIds.every((id) => isListed(rights, id)))
  return isUsable ? body : { ...body, keyAccountIds: rights.accountIds }
}

function sendRejection(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof RejectedBatch)) throw error
  const body = { error: error.message, rejected: error.rejected }
  return sendErrorBody(reply, error, body)
}
