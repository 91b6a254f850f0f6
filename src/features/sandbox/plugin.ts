import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../../db/client.ts'
import { listSandboxCalls as readCalls } from '../../../db/queries/sandbox.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { readPage } from '../../base/http/paging.ts'

export const sandbox: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.listSandboxCalls,
    handler: async ({ userId, rights, query }) =>
      readPage(query, (page) => readCalls(db, { userId, accountIds: rights.accountIds, ...page })),
  })
}
