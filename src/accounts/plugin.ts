import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type ListedAccount, listAccounts } from '../../db/queries/accounts.ts'
import { type Account, NOT_CONNECTED, NOT_SUPPORTED } from '../../schemas/account.ts'
import * as operations from '../../schemas/operations/accounts.ts'
import { sendOutcome, withIdempotencyKey } from '../http/idempotency-key.ts'
import type { Networks } from '../platforms/adapters.ts'
import {
  fingerprintRequest,
  identifyAccount,
  type NetworkContext,
  requireKeyring,
  storeAccount,
  toAccount,
} from './connect.ts'
import { disconnectOwnAccount } from './disconnect.ts'

export const accounts: FastifyPluginAsyncTypebox<NetworkContext> = async (app, context) => {
  const { db, networks } = context

  app.route({
    ...operations.listAccounts,
    handler: async (request) => {
      const rows = await listAccounts(db, { userId: request.userId })
      return { data: rows.map((row) => toListedAccount(row, networks)) }
    },
  })

  app.route({
    ...operations.connectAccount,
    handler: async (request, reply) => {
      const { userId, body } = request
      const keyring = await requireKeyring(context, userId, body)
      const outcome = await withIdempotencyKey(db, reply, {
        identities: fingerprintRequest(keyring, userId, body),
        prepare: () => identifyAccount(context, userId, body),
        commit: (transaction, profile) => storeAccount(transaction, keyring, userId, body, profile),
        toResponse: ({ account, isNew }) => ({ status: isNew ? 201 : 200, body: account }),
      })
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.disconnectAccount,
    handler: async (request) => disconnectOwnAccount(db, request.userId, request.params.id),
  })
}

function toListedAccount({ attention, isConnected, ...account }: ListedAccount, networks: Networks): Account {
  const reason = attention ?? (networks[account.platform] ? !isConnected && NOT_CONNECTED : NOT_SUPPORTED)
  return { ...toAccount(account), ...(reason && { attention: reason }) }
}
