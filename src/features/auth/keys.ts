import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../../db/client.ts'
import { listOwnKeys } from '../../../db/queries/key-changes.ts'
import { findCurrentKey } from '../../../db/queries/keys.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { fail } from '../../base/errors.ts'
import { readPage } from '../../base/http/paging.ts'
import { createOwnKey, getKey, getKeyBudget, putKeyBudget, revokeKey, rotateKey, updateKey } from './manage-keys.ts'

export const keys: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.getCurrentKey,
    handler: async ({ keyId, rights }) => {
      const key = await findCurrentKey(db, keyId)
      // The key was revoked within the last second.
      if (!key) throw fail('invalid_api_key')
      // An access token may have fewer.
      return { ...key, scopes: rights.scopes && [...rights.scopes] }
    },
  })

  app.route({
    ...operations.createKey,
    handler: async (request, reply) => {
      const created = await createOwnKey(db, request, request.body)
      request.createdId = created.id
      return reply.code(201).send(created)
    },
  })

  app.route({
    ...operations.listKeys,
    handler: async ({ userId, query }) => readPage(query, (page) => listOwnKeys(db, { userId, ...page })),
  })

  app.route({
    ...operations.getKey,
    handler: async ({ userId, params }) => getKey(db, userId, params.id),
  })

  app.route({
    ...operations.updateKey,
    handler: async (request) => updateKey(db, request, request.params.id, request.body),
  })

  app.route({
    ...operations.getKeyBudget,
    handler: async ({ userId, params }) => getKeyBudget(db, userId, params.id),
  })

  app.route({
    ...operations.putKeyBudget,
    handler: async (request) => putKeyBudget(db, request, request.params.id, request.body),
  })

  app.route({
    ...operations.rotateKey,
    handler: async (request, reply) => {
      const created = await rotateKey(db, request, request.params.id, request.body)
      request.createdId = created.id
      return reply.code(201).send(created)
    },
  })

  app.route({
    ...operations.revokeKey,
    handler: async (request) => revokeKey(db, request, request.params.id),
  })
}
