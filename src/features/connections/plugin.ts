import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { withDatabaseBudget } from '../../../db/budget.ts'
import { isId } from '../../../db/id.ts'
import { type ConnectionFlow, deleteConnection, findConnection } from '../../../db/queries/connections.ts'
import * as operations from '../../../schemas/operations/index.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { fail } from '../../base/errors.ts'
import { sendOutcome, withIdempotencyKey } from '../../base/http/idempotency-key.ts'
import { vaultOf } from '../../base/http/vault.ts'
import { chooseAccounts } from './choose.ts'
import { completeFlow } from './complete.ts'
import type { ConnectionContext } from './context.ts'
import { prepareConnection, storeConnection } from './create.ts'
import { deleteOwnApp, listOwnApps, putApp } from './stored-apps.ts'
import { toConnection } from './view.ts'

const notFound = () => fail('connection_not_found')

export const connections: FastifyPluginAsyncTypebox<ConnectionContext> = async (app, context) => {
  const { db } = context

  /** The connection of the user. Throws 404 for one of another user. */
  async function find(userId: string, id: string): Promise<ConnectionFlow> {
    const row = isId(id) ? await findConnection(db, id) : undefined
    if (row?.userId !== userId) throw notFound()
    return row
  }

  /**
   * The connection after a step of its flow. The time limit of the request no longer counts: a client that repeats the
   * request would get 409.
   */
  const readAfterStep = (userId: string, id: string) =>
    withDatabaseBudget(undefined, async () => toConnection(context, await find(userId, id)))

  app.route({
    ...operations.createConnection,
    handler: async ({ userId, body }, reply) => {
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [body],
        prepare: () => prepareConnection(context, userId, body),
        commit: (transaction, prepared) => storeConnection({ ...context, db: transaction }, userId, body, prepared),
        toResponse: (connection) => ({ status: 201, body: connection }),
        // If the keyring is missing, nothing is created.
        ...(context.keyring && { vault: vaultOf(context.keyring, userId) }),
      })
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.getConnection,
    handler: async ({ userId, params }) => toConnection(context, await find(userId, params.id)),
  })

  app.route({
    ...operations.chooseAccounts,
    handler: async ({ userId, params, body }) => {
      await chooseAccounts(context, await find(userId, params.id), body.ids)
      return readAfterStep(userId, params.id)
    },
  })

  app.route({
    ...operations.completeConnection,
    handler: async ({ userId, params, body, log }) => {
      const connection = await find(userId, params.id)
      await completeFlow(context, connection, body.callbackUrl, log)
      return readAfterStep(userId, params.id)
    },
  })

  app.route({
    ...operations.deleteConnection,
    handler: async ({ userId, params: { id } }) => {
      if (!isId(id) || !(await deleteConnection(db, { userId, id }))) throw notFound()
      return { success: true as const }
    },
  })

  app.route({
    ...operations.listApps,
    handler: async ({ userId }) => ({ data: await listOwnApps(context, userId) }),
  })

  app.route({
    ...operations.putApp,
    handler: async ({ userId, params, body }) => putApp(context, userId, params.platform as PlatformId, body),
  })

  app.route({
    ...operations.deleteApp,
    handler: async ({ userId, params, query }) => {
      await deleteOwnApp(context, userId, params.platform as PlatformId, query.organizationId)
      return { success: true as const }
    },
  })
}
