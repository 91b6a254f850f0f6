import { randomBytes } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { deleteCredentialsUntil, forgetAccounts } from '../../../../db/queries/meta-users.ts'
import type { PlatformId } from '../../../../schemas/platform.ts'
import { fail } from '../../../base/errors.ts'
import { FORM_TYPE, readForms } from '../../../base/http/pages.ts'
import { NETWORKS } from '../../../platforms/networks.ts'
import { findAccountsOfUser, type MetaContext, requireKeys } from './users.ts'

const BODY_BYTES_MAX = 16_384
const DELETIONS = '/connect/meta/deletions'

interface Callback {
  Params: { platform: string; clientId: string }
  Body: unknown
}

/** Meta calls these when a user removes the app, or asks for deletion. The signature takes the place of a key. */
export const metaCallbacks: FastifyPluginAsync<MetaContext> = async (app, context) => {
  const { db, publicUrl } = context
  const callback = { bodyLimit: BODY_BYTES_MAX, schema: { hide: true, consumes: [FORM_TYPE], body: Type.Object({}) } }

  readForms(app)

  const findAccounts = ({ params: { platform, clientId }, body }: FastifyRequest<Callback>) => {
    if (!isMeta(platform)) throw notFound()
    const signedRequest = body instanceof URLSearchParams ? body.get('signed_request') : null
    return findAccountsOfUser(context, { platform, clientId, signedRequest })
  }

  app.post<Callback>('/connect/meta/:platform/:clientId/deauthorize', callback, async (request) => {
    const { accountIds, issuedAt } = await findAccounts(request)
    const count = await deleteCredentialsUntil(db, accountIds, issuedAt)
    request.log.info({ reqId: request.id, accounts: count }, 'a user of Meta removed the app: credentials deleted')
    return { success: true }
  })

  app.post<Callback>('/connect/meta/:platform/:clientId/delete-data', callback, async (request) => {
    const { accountIds } = await findAccounts(request)
    const count = await forgetAccounts(db, accountIds)
    request.log.info({ reqId: request.id, accounts: count }, 'a user of Meta asked for deletion: accounts deleted')
    const code = newCode(context)
    return { url: `${publicUrl()}${DELETIONS}/${code}`, confirmation_code: code }
  })

  app.get<{ Params: { code: string } }>(`${DELETIONS}/:code`, { schema: { hide: true } }, async (request, reply) => {
    const deletedAt = timeOf(context, request.params.code)
    if (!deletedAt) throw notFound()
    reply.type('text/plain; charset=utf-8')
    return `Your request was carried out on ${deletedAt.toISOString().slice(0, 10)}.

This service has deleted what it had received from Meta about you: access tokens, ids and names of accounts.
Posts stay on Meta's networks until they are deleted there. Confirmation code: ${request.params.code}
`
  })
}

const isMeta = (platform: string): platform is PlatformId =>
  Object.hasOwn(NETWORKS, platform) && NETWORKS[platform as PlatformId].isOfMeta === true

const notFound = () => fail('route_not_found')

/** A confirmation code. It has the time and is signed, so that nothing about the person has to be kept. */
function newCode(context: MetaContext): string {
  const stamp = `${Date.now().toString(36)}-${randomBytes(8).toString('hex')}`
  return `${stamp}.${requireKeys(context).signatures(`${DELETIONS}/${stamp}`)[0]}`
}

/** When the deletion with a confirmation code was carried out; undefined for another code. */
function timeOf(context: MetaContext, code: string): Date | undefined {
  const [stamp = '', signature = '', ...others] = code.split('.')
  const isOwn = others.length === 0 && requireKeys(context).signatures(`${DELETIONS}/${stamp}`).includes(signature)
  return isOwn ? new Date(Number.parseInt(stamp, 36)) : undefined
}
