import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as operations from '../../../schemas/operations/index.ts'
import { withPost } from '../posts/access.ts'
import { checkDelivery } from './check-delivery.ts'
import { getPostMetrics, listDeliveryMetrics, type MetricsContext } from './metrics.ts'

/** The numbers of published posts, and whether these are still there. */
export const deliveryMetrics: FastifyPluginAsyncTypebox<MetricsContext> = async (app, context) => {
  app.route({
    ...operations.getPostMetrics,
    handler: async (request) => withPost(context.db, request, (post) => getPostMetrics(context, post, request.query)),
  })

  app.route({
    ...operations.checkDelivery,
    handler: async (request) =>
      withPost(context.db, request, (post) => checkDelivery(context, post, request.params.accountId)),
  })

  app.route({
    ...operations.listDeliveryMetrics,
    handler: async (request) => listDeliveryMetrics(context, request, request.query),
  })
}
