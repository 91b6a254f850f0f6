import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { DeliveryPath } from '../../../schemas/delivery.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { type PostAccess, withPost } from '../posts/access.ts'
import { readCondition, sendPost } from '../posts/etag.ts'
import { type MakeRenditions, withRenditions } from '../posts/fit.ts'
import { editPublished } from './edit-published.ts'
import { explainDelivery } from './explain/explain-delivery.ts'
import { listOwnDeliveries } from './find-deliveries.ts'
import type { DeliveryAccess } from './own-delivery.ts'
import { removeDelivery, removePost } from './remove-delivery.ts'
import { type RetryContext, retryDelivery } from './retry.ts'
import { retryDeliveries } from './retry-deliveries.ts'
import { cancelDelivery, markDeliveryPublished, resolveDelivery } from './settle-delivery.ts'

export const deliveries: FastifyPluginAsyncTypebox<RetryContext & { makeRenditions: MakeRenditions }> = async (
  app,
  context,
) => {
  const { db, makeRenditions } = context

  app.route({
    ...operations.listDeliveries,
    handler: async (request) => listOwnDeliveries(db, request, request.query),
  })

  app.route({
    ...operations.explainDelivery,
    handler: async (request) =>
      withPost(db, request, (post) => explainDelivery(context, post, request.params.accountId)),
  })

  app.route({
    ...operations.retryDeliveries,
    handler: async ({ userId, keyId, body }) => retryDeliveries(context, { userId, keyId }, body),
  })

  app.route({
    ...operations.retryDelivery,
    handler: async (request, reply) => {
      const { params, body } = request
      const condition = readCondition(request)
      const retry = (post: PostAccess) => retryDelivery(context, deliveryOf(post, params), body, condition)
      const retried = await withRenditions(makeRenditions, () => withPost(db, request, retry))
      return sendPost(reply.code(202), retried)
    },
  })

  app.route({
    ...operations.resolveDelivery,
    handler: async (request, reply) => {
      const { params, body } = request
      return sendPost(reply, await withPost(db, request, (post) => resolveDelivery(db, deliveryOf(post, params), body)))
    },
  })

  app.route({
    ...operations.cancelDelivery,
    handler: async (request, reply) => {
      const { params } = request
      const condition = readCondition(request)
      return sendPost(
        reply,
        await withPost(db, request, (post) => cancelDelivery(db, deliveryOf(post, params), condition)),
      )
    },
  })

  app.route({
    ...operations.markDeliveryPublished,
    handler: async (request, reply) => {
      const { params, body } = request
      const condition = readCondition(request)
      const mark = (post: PostAccess) => markDeliveryPublished(db, deliveryOf(post, params), body, condition)
      return sendPost(reply, await withPost(db, request, mark))
    },
  })

  app.route({
    ...operations.editDelivery,
    handler: async (request, reply) => {
      const { params, body } = request
      const condition = readCondition(request)
      const edit = (post: PostAccess) => editPublished(db, deliveryOf(post, params), body, condition)
      const { post, warning } = await withPost(db, request, edit)
      return sendPost(reply.code(202), post, { ...(warning !== undefined && { warning }) })
    },
  })

  app.route({
    ...operations.removeDelivery,
    handler: async (request, reply) => {
      const { params } = request
      const condition = readCondition(request)
      const remove = (post: PostAccess) => removeDelivery(db, deliveryOf(post, params), condition)
      return sendPost(reply.code(202), await withPost(db, request, remove))
    },
  })

  app.route({
    ...operations.removePost,
    handler: async (request, reply) => {
      const condition = readCondition(request)
      return reply.code(202).send(await withPost(db, request, (post) => removePost(db, post, condition)))
    },
  })
}

const deliveryOf = ({ id, ...owner }: PostAccess, { accountId }: DeliveryPath): DeliveryAccess => ({
  ...owner,
  postId: id,
  accountId,
})
