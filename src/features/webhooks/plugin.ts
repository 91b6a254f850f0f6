import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listWebhooks } from '../../../db/queries/webhooks/webhooks.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { readPage } from '../../base/http/paging.ts'
import type { WebhookContext } from './context.ts'
import { listDeliveries, redeliver, testWebhook } from './deliveries.ts'
import {
  createWebhook,
  readWebhook,
  removePreviousSecret,
  removeWebhook,
  rotateSecret,
  toWebhook,
  updateWebhook,
} from './manage.ts'

export const webhooks: FastifyPluginAsyncTypebox<WebhookContext> = async (app, context) => {
  const { db } = context

  app.route({
    ...operations.createWebhook,
    handler: async (request, reply) => {
      const created = await createWebhook(context, request, request.body)
      request.createdId = created.id
      return reply.code(201).send(created)
    },
  })

  app.route({
    ...operations.listWebhooks,
    handler: async ({ userId, rights, query }) => {
      const page = await readPage(query, (page) =>
        listWebhooks(db, { userId, listedAccountIds: rights.accountIds, ...page }),
      )
      return { ...page, data: page.data.map(toWebhook) }
    },
  })

  app.route({
    ...operations.getWebhook,
    handler: async (request) => toWebhook(await readWebhook(db, request, request.params.id)),
  })

  app.route({
    ...operations.updateWebhook,
    handler: async (request) => updateWebhook(context, request, request.params.id, request.body),
  })

  app.route({
    ...operations.deleteWebhook,
    handler: async (request) => {
      await removeWebhook(db, request, request.params.id)
      return { success: true as const }
    },
  })

  app.route({
    ...operations.rotateWebhookSecret,
    handler: async (request) => rotateSecret(context, request, request.params.id, request.body),
  })

  app.route({
    ...operations.deletePreviousWebhookSecret,
    handler: async (request) => {
      await removePreviousSecret(context, request, request.params.id)
      return { success: true as const }
    },
  })

  app.route({
    ...operations.testWebhook,
    handler: async (request, reply) => {
      await testWebhook(db, request, request.params.id, request.body)
      return reply.code(202).send({ queued: 1, nextCursor: null })
    },
  })

  app.route({
    ...operations.listWebhookDeliveries,
    handler: async (request) => listDeliveries(db, request, request.params.id, request.query),
  })

  app.route({
    ...operations.redeliverEvents,
    handler: async (request, reply) =>
      reply.code(202).send(await redeliver(db, request, request.params.id, request.body)),
  })
}
