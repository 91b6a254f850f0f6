import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Db } from '../../../db/client.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { getEvent, readEvents } from './list.ts'
import { createWaiters } from './waiters.ts'

/** The database has events in their final form. The serializer of the schema would match each against all types. */
const sendJson = (reply: FastifyReply, body: object) =>
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)

export const events: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  const waiters = createWaiters(db)
  // Before the server waits for open requests.
  app.addHook('preClose', async () => waiters.stop())

  app.route({
    ...operations.listEvents,
    handler: async (request, reply) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const page = await readEvents({ db, waiters }, request, request.query, gone.signal)
      return sendJson(reply, page)
    },
  })

  app.route({
    ...operations.getEvent,
    handler: async (request, reply) => {
      const event = await getEvent(db, request, request.params.id, request.query)
      return sendJson(reply, event)
    },
  })
}
