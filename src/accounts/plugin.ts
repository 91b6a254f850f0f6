import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type ListedAccount, listAccounts } from '../../db/queries/accounts.ts'
import { type Account, NOT_CONNECTED, NOT_SUPPORTED } from '../../schemas/account.ts'
import * as operations from '../../schemas/operations/accounts.ts'
import { answerOnce, type Once } from '../http/idempotency-key.ts'
import type { Networks } from '../platforms/adapters.ts'
import { type Connected, type Connecting, connectAccount, shownAccount } from './connect.ts'
import { disconnectOwnAccount } from './disconnect.ts'

export const accounts: FastifyPluginAsyncTypebox<Connecting> = async (app, connecting) => {
  const { db, networks } = connecting

  app.route({
    ...operations.listAccounts,
    handler: async (request) => {
      const rows = await listAccounts(db, { userId: request.userId })
      return { data: rows.map((row) => shown(row, networks)) }
    },
  })

  app.route({
    ...operations.connectAccount,
    handler: async (request, reply) =>
      answerOnce(
        db,
        request,
        reply,
        (once: Once<Connected>) => connectAccount(connecting, request.userId, request.body, once),
        ({ account, isNew }) => ({ status: isNew ? 201 : 200, body: account }),
      ),
  })

  app.route({
    ...operations.disconnectAccount,
    handler: async (request) => disconnectOwnAccount(db, request.userId, request.params.id),
  })
}

function shown({ attention, isConnected, ...account }: ListedAccount, networks: Networks): Account {
  const reason = attention ?? (networks[account.platform] ? !isConnected && NOT_CONNECTED : NOT_SUPPORTED)
  return { ...shownAccount(account), ...(reason && { attention: reason }) }
}
