import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listOwnKeys } from '../../../db/queries/key-changes.ts'
import { listMemberPage, listOrganizationPage, listUserPage } from '../../../db/queries/tenants.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { fail } from '../../base/errors.ts'
import { sendOutcome, type Vault, withIdempotencyKey } from '../../base/http/idempotency-key.ts'
import { readPage } from '../../base/http/paging.ts'
import { vaultOf } from '../../base/http/vault.ts'
import type { RevokeDeps } from '../../engine/credentials/revoke.ts'
import { createUserKey, revokeUserKey } from '../auth/manage-keys.ts'
import type { Library } from '../media/library.ts'
import { createOrganization, getOrganization, putMember, removeMember, removeOrganization } from './organizations.ts'
import { beginDeletion, changeUser, createUser, getUser } from './users.ts'

export const tenants: FastifyPluginAsyncTypebox<Library & RevokeDeps> = async (app, context) => {
  await app.register(users, context)
  await app.register(organizations, context)
}

const users: FastifyPluginAsyncTypebox<Library & RevokeDeps> = async (app, context) => {
  const { db, keyring } = context

  app.route({
    ...operations.listUsers,
    handler: async ({ query }) => readPage(query, (page) => listUserPage(db, { ...query, ...page })),
  })

  app.route({
    ...operations.createUser,
    handler: async ({ body }, reply) => {
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [body],
        commit: (transaction) => createUser(transaction, body),
        toResponse: (user) => ({ status: 201, body: user }),
      })
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.getUser,
    handler: async ({ params }) => getUser(db, params.id),
  })

  app.route({
    ...operations.updateUser,
    handler: async ({ params, body }) => changeUser(db, params.id, body),
  })

  app.route({
    ...operations.deleteUser,
    handler: async (request, reply) => {
      const { user, finished } = await beginDeletion(
        context,
        { ownUserId: request.userId, log: request.log },
        request.params.id,
      )
      finished.catch((err) =>
        request.log.error({ reqId: request.id, userId: user.id, err }, 'a user is not deleted yet: repeat the request'),
      )
      return reply.code(202).send(user)
    },
  })

  app.route({
    ...operations.listUserKeys,
    handler: async ({ params, query }) =>
      readPage(query, async (page) => {
        const { id: userId } = await getUser(db, params.id)
        return listOwnKeys(db, { userId, ...page })
      }),
  })

  app.route({
    ...operations.createUserKey,
    handler: async (request, reply) => {
      const { userId, keyId, params, body } = request
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [{ id: params.id, body }],
        commit: (transaction) => createUserKey(transaction, { userId, keyId }, params.id, body),
        toResponse: (created) => ({ status: 201, body: created }),
        vault: keyring ? vaultOf(keyring, userId) : KEEPS_NOTHING,
      })
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.revokeUserKey,
    handler: async ({ keyId, params }) => revokeUserKey(db, { keyId }, params.id, params.keyId),
  })
}

/** Replaces the vault of a service without a key: a request is done once, and its response is not stored. */
const KEEPS_NOTHING: Vault = {
  seal: () => '',
  open: () => {
    throw fail('secret_not_kept')
  },
}

const organizations: FastifyPluginAsyncTypebox<Pick<Library, 'db'>> = async (app, { db }) => {
  app.route({
    ...operations.listOrganizations,
    handler: async ({ query }) => readPage(query, (page) => listOrganizationPage(db, page)),
  })

  app.route({
    ...operations.createOrganization,
    handler: async ({ body }, reply) => {
      const outcome = await withIdempotencyKey(db, reply, {
        identities: [body],
        commit: (transaction) => createOrganization(transaction, body),
        toResponse: (organization) => ({ status: 201, body: organization }),
      })
      return sendOutcome(reply, outcome)
    },
  })

  app.route({
    ...operations.getOrganization,
    handler: async ({ params }) => getOrganization(db, params.id),
  })

  app.route({
    ...operations.deleteOrganization,
    handler: async ({ params }) => removeOrganization(db, params.id),
  })

  app.route({
    ...operations.listMembers,
    handler: async ({ params, query }) => {
      const { data, ...page } = await readPage(query, async (page) => {
        const { id } = await getOrganization(db, params.id)
        // The id of a member, for the cursor, is that of the user.
        return (await listMemberPage(db, id, page)).map((member) => ({ id: member.userId, member }))
      })
      return { data: data.map(({ member }) => member), ...page }
    },
  })

  app.route({
    ...operations.putMember,
    handler: async ({ params, body }) =>
      putMember(db, { organizationId: params.id, userId: params.userId, role: body.role }),
  })

  app.route({
    ...operations.deleteMember,
    handler: async ({ params }) => removeMember(db, { organizationId: params.id, userId: params.userId }),
  })
}
