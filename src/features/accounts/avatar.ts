import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync } from 'fastify'
import type { Db } from '../../../db/client.ts'
import { isId } from '../../../db/id.ts'
import { findAvatar } from '../../../db/queries/avatars.ts'
import * as operations from '../../../schemas/operations/index.ts'
import { fail } from '../../base/errors.ts'
import { etagOfText, isKnown } from '../../base/http/preconditions.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { isSigned, signedAddress } from '../../base/keyring/signed-address.ts'
import { getAccount } from './list.ts'

const MIME_TYPE = 'image/webp'

/** An address stays the same for half of this time, so that browsers find the picture in their cache. */
const VALID_SECONDS = 86_400
const CACHE_SECONDS = 3_600

/** The address under which anybody can read the picture of an account for half a day or more. */
export function avatarAddress(publicUrl: string, keyring: Keyring, id: string, now = Date.now()): string {
  const half = (VALID_SECONDS / 2) * 1000
  const options = { validSeconds: VALID_SECONDS, now: now - (now % half) }
  return signedAddress(publicUrl, keyring, `/avatars/${id}.webp`, options).href
}

/** The picture of an account, with its ETag. Throws 404 if none is stored. */
async function readAvatar(db: Db, id: string): Promise<{ bytes: Buffer; etag: string }> {
  const avatar = await findAvatar(db, id)
  if (!avatar) throw fail('avatar_not_found')
  return { bytes: avatar.bytes, etag: etagOfText(avatar.bytes) }
}

const avatarHeaders = (etag: string) => ({
  etag,
  'cache-control': `private, max-age=${CACHE_SECONDS}`,
  'x-content-type-options': 'nosniff',
})

export const accountAvatars: FastifyPluginAsyncTypebox<{ db: Db }> = async (app, { db }) => {
  app.route({
    ...operations.getAccountAvatar,
    handler: async (request, reply) => {
      const { id } = await getAccount(db, request, request.params.id)
      const { bytes, etag } = await readAvatar(db, id)
      reply.headers(avatarHeaders(etag))
      return isKnown(request, etag) ? reply.code(304).send(undefined) : reply.type(MIME_TYPE).send(bytes)
    },
  })
}

interface Options {
  db: Db
  keyring: Keyring | undefined
}

/** Serves pictures of accounts by signed addresses, which pages can show. */
export const publicAvatars: FastifyPluginAsync<Options> = async (app, { db, keyring }) => {
  app.get('/avatars/:name', { schema: { hide: true } }, async (request, reply) => {
    const address = new URL(request.url, 'http://localhost')
    const [, id = ''] = /^\/avatars\/([\da-f-]{36})\.webp$/.exec(address.pathname) ?? []
    if (!keyring || !isSigned(address, keyring) || !isId(id)) throw fail('avatar_not_found')
    const { bytes, etag } = await readAvatar(db, id)
    reply.headers(avatarHeaders(etag))
    return isKnown(request, etag) ? reply.code(304).send() : reply.type(MIME_TYPE).send(bytes)
  })
}
