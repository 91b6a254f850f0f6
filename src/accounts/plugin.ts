import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listAccounts } from '../../db/queries/accounts.ts'
import * as operations from '../../schemas/operations/accounts.ts'
import type { PlatformId } from '../../schemas/platform.ts'
import { sendOutcome, withIdempotencyKey } from '../http/idempotency-key.ts'
import { fingerprintRequest, identifyAccount, requireKeyringFor } from './connect.ts'
import { disconnectOwnAccount } from './disconnect.ts'
import { type NetworkContext, NO_GRANT, storeAccount, toListedAccount } from './store.ts'

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
      const { organizationId, credentials } = body
      const platform = body.platform as PlatformId
      const keyring = await requireKeyringFor(context, userId, body)
      const outcome = await withIdempotencyKey(db, reply, {
        identities: fingerprintRequest(keyring, userId, body),
        prepare: () => identifyAccount(context, userId, body),
        commit: (transaction, profile) =>
          storeAccount(transaction, keyring, {
            platform,
            userId,
            organizationId,
            profile,
            credentials,
            isRefreshable: false,
            grant: NO_GRANT,
          }),
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
