import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Db } from '../../../../db/client.ts'
import * as operations from '../../../../schemas/operations/index.ts'
import type { AccountSchedule } from '../../../../schemas/schedule.ts'
import { readIfMatch } from '../../../base/http/preconditions.ts'
import { rearrangeSchedule } from './rearrange.ts'
import { etagOfSchedule, listSlots, putSchedule, requireSchedule } from './schedule.ts'

/** The times at which the queued posts of an account are published. */
export const queue: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.getSchedule,
    handler: async (request, reply) => {
      const { schedule } = await requireSchedule(db, request, request.params.id)
      return sendSchedule(reply, schedule)
    },
  })

  app.route({
    ...operations.putSchedule,
    handler: async (request, reply) =>
      sendSchedule(reply, await putSchedule(db, request, request.params.id, request.body, readIfMatch(request))),
  })

  app.route({
    ...operations.rearrangeSchedule,
    handler: async (request, reply) => {
      const { etag, queue } = await rearrangeSchedule(db, request, request.params.id, readIfMatch(request))
      reply.header('etag', etag)
      return queue
    },
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
