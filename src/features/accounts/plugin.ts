import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import * as operations from '../../../schemas/operations/index.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import { invalidRequest } from '../../base/errors.ts'
import { sendOutcome, withIdempotencyKey } from '../../base/http/idempotency-key.ts'
import { findLongNames } from '../../base/http/metadata.ts'
import { isKnown, readIfMatch } from '../../base/http/preconditions.ts'
import type { Log } from '../../base/log.ts'
import { requireMayConnect } from '../auth/roles.ts'
import { accountAvatars, avatarAddress } from './avatar.ts'
import { getAccountBudget, putAccountBudget } from './budget.ts'
import { fingerprintRequest, identifyAccount, requireKeyringFor } from './connect.ts'
import { disconnectOwnAccount } from './disconnect.ts'
import { createFieldOptions } from './field-options.ts'
import { etagOf, getAccount, listOwnAccounts } from './list.ts'
import { type AccountContext, type AccountView, NO_GRANT, storeAccount } from './store.ts'
import { updateAccount } from './update.ts'

export const accounts: FastifyPluginAsyncTypebox<AccountContext> = async (app, context) => {
  const { db, keyring, publicUrl } = context
  const view: AccountView = {
    avatarOf: (id) => (keyring ? avatarAddress(publicUrl(), keyring, id) : null),
    networks: context.networks,
  }
  const readFieldOptions = createFieldOptions(context)

  app.route({
    ...operations.listAccounts,
    handler: async (request) => ({ data: await listOwnAccounts(db, request, request.query, view) }),
  })

  app.route({
    ...operations.getAccount,
    handler: async (request, reply) => {
      const account = await getAccount(db, request, request.params.id, view)
      const etag = etagOf(account)
      reply.header('etag', etag)
      return isKnown(request, etag) ? reply.code(304).send(undefined) : account
    },
  })

  app.route({
    ...operations.updateAccount,
    handler: async (request, reply) => {
      const conditions = { isMatch: readIfMatch(request), view }
      const account = await updateAccount(db, request, request.params.id, request.body, conditions)
      reply.header('etag', etagOf(account))
      return account
    },
  })

  await app.register(accountAvatars, { db })
  await app.register(connecting, context)

  app.route({
    ...operations.listFieldOptions,
    handler: async (request) => {
      const { userId, rights, params, query } = request
      return readFieldOptions({ userId, rights, params, query, log: request.log as Log })
    },
  })

  app.route({
    ...operations.disconnectAccount,
    handler: async (request) => {
      const { userId, rights, params } = request
      return disconnectOwnAccount(context, { userId, rights, log: request.log as Log }, params.id)
    },
  })
}

const connecting: FastifyPluginAsyncTypebox<AccountContext> = async (app, context) => {
  const { db, avatars } = context

  app.route({
    ...operations.getAccountBudget,
    handler: async (request) => getAccountBudget(db, request, request.params.id),
  })

  app.route({
    ...operations.putAccountBudget,
    handler: async (request) => putAccountBudget(db, request, request.params.id, request.body),
  })

  app.route({
    ...operations.connectAccount,
    handler: async (request, reply) => {
      const { userId, body } = request
      const { organizationId, credentials, externalReference = null, metadata = null } = body
      const platform = body.platform as PlatformId
      const issues = findLongNames(metadata ?? undefined)
      if (issues.length > 0) throw invalidRequest(issues)
      const keyring = await requireKeyringFor(context, userId, body)
      let picture: { id: string; url: string } | undefined
      const outcome = await withIdempotencyKey(db, reply, {
        identities: fingerprintRequest(keyring, userId, body),
        prepare: () => identifyAccount(context, userId, body),
        commit: async (transaction, profile) => {
          // Once more: the role may have changed while the network was called.
          await requireMayConnect(transaction, userId, organizationId)
          const connected = await storeAccount(transaction, keyring, {
            platform,
            userId,
            organizationId,
            profile,
            credentials,
            isRefreshable: false,
            grant: { ...NO_GRANT, externalReference, metadata },
          })
          picture = profile.avatarUrl === null ? undefined : { id: connected.account.id, url: profile.avatarUrl }
          return connected
        },
        toResponse: ({ account, isNew }) => ({ status: isNew ? 201 : 200, body: account }),
      })
      if (picture) void avatars?.keep({ userId, id: picture.id }, picture.url)
      return sendOutcome(reply, outcome)
    },
  })
}
