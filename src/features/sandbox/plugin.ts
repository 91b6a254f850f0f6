import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../../db/client.ts'
import { listSandboxCalls } from '../../../db/queries/sandbox.ts'
import { endClock, readClock } from '../../../db/queries/sandbox-clocks.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { readLongPage } from '../../base/http/paging.ts'
import { putClock } from './clock.ts'

/** The calls that the sandbox got, and the clocks of its users. */
export const sandbox: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.listSandboxCalls,
    handler: async ({ userId, rights, query }) =>
      readLongPage(query, (page) => listSandboxCalls(db, { userId, accountIds: rights.accountIds, ...page })),
  })

  app.route({ ...operations.getSandboxClock, handler: async ({ userId }) => readClock(db, userId) })

  app.route({
    ...operations.putSandboxClock,
    handler: async ({ userId, body }, reply) => reply.code(202).send(await putClock(db, userId, body)),
  })

  app.route({
    ...operations.deleteSandboxClock,
    handler: async ({ userId }) => {
      await endClock(db, userId)
      return { success: true as const }
    },
  })
}
