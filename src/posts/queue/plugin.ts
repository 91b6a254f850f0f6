import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Db } from '../../../db/client.ts'
import * as operations from '../../../schemas/operations/index.ts'
import type { AccountSchedule } from '../../../schemas/schedule.ts'
import { etagOfSchedule, listSlots, putSchedule, readSchedule } from './schedule.ts'

/** The times at which the queued posts of an account are published. */
export const queue: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.getSchedule,
    handler: async (request, reply) => sendSchedule(reply, await readSchedule(db, request, request.params.id)),
  })

  app.route({
    ...operations.putSchedule,
    handler: async (request, reply) =>
      sendSchedule(reply, await putSchedule(db, request, request.params.id, request.body)),
  })

  app.route({
    ...operations.listSlots,
    handler: async (request) => listSlots(db, request, request.params.id, request.query),
  })
}

function sendSchedule(reply: FastifyReply, schedule: AccountSchedule): AccountSchedule {
  reply.header('etag', etagOfSchedule(schedule))
  return schedule
}
