import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '../../../../db/client.ts'
import { isId } from '../../../../db/id.ts'
import { APPROVAL_SECONDS, countApprovals, insertApproval } from '../../../../db/queries/oauth/approvals.ts'
import { isGrant, listGrants } from '../../../../db/queries/oauth/grants.ts'
import * as operations from '../../../../schemas/operations/index.ts'
import { fail, RateLimited } from '../../../base/errors.ts'
import { readPage } from '../../../base/http/paging.ts'
import { generateCode, hashKey } from '../key.ts'
import { type Manager, revokeKey } from '../manage-keys.ts'
import { APPROVALS_MAX } from './sign-in.ts'

export const connectedApps: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.listConnectedApps,
    handler: async ({ userId, query }) => readPage(query, (page) => listGrants(db, { userId, ...page })),
  })

  app.route({
    ...operations.disconnectApp,
    handler: async (request) => {
      const { id } = request.params
      if (!isId(id) || !(await isGrant(db, id))) throw notFound()
      return revokeKey(db, request, id).catch((error) => {
        throw error.code === 'api_key_not_found' ? notFound() : error
      })
    },
  })

  app.route({
    ...operations.createApprovalCode,
    handler: async (request, reply) => reply.code(201).send(await createCode(db, request)),
  })
}

const notFound = () => fail('connected_app_not_found')

async function createCode(db: Db, { userId, keyId }: Manager): Promise<{ code: string; expiresAt: string }> {
  if ((await countApprovals(db, userId)) >= APPROVALS_MAX) throw new RateLimited('rate_limited', APPROVAL_SECONDS)
  const code = generateCode()
  const expiresAt = await insertApproval(db, { hash: hashKey(code), keyId })
  return { code, expiresAt: expiresAt.toISOString() }
}
