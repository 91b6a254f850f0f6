import { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import { PREVIEW_WIDTHS } from '../../../schemas/media.ts'
import { isKnown } from '../../base/http/preconditions.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { isSigned, signedAddress } from '../../base/keyring/signed-address.ts'
import { mediaNotFound } from './access.ts'
import type { Library } from './library.ts'
import { openPreview } from './preview.ts'

/** An address stays the same for half of this time, so that browsers find the picture in their cache. */
const VALID_SECONDS = 86_400
/** A deleted file shows for no longer. */
const CACHE_SECONDS = 3_600

const LISTED_WIDTH = 320 satisfies (typeof PREVIEW_WIDTHS)[number]

/**
 * The address under which anybody can read the preview of a file for half a day or more. Its `width` may be changed.
 */
export function previewAddress(
  publicUrl: string,
  keyring: Keyring,
  { userId, id }: { userId: string; id: string },
  now = Date.now(),
): URL {
  const half = (VALID_SECONDS / 2) * 1000
  const options = { validSeconds: VALID_SECONDS, now: now - (now % half) }
  const address = signedAddress(publicUrl, keyring, `/files/previews/${userId}/${id}`, options)
  address.searchParams.set('width', String(LISTED_WIDTH))
  return address
}

/** Serves previews by signed addresses, which pages can show. The bytes come from here, because redirects expire. */
export const publicPreviews: FastifyPluginAsync<Library & { keyring: Keyring | undefined }> = async (
  app,
  { keyring, ...library },
) => {
  app.get('/files/previews/:userId/:id', { schema: { hide: true } }, async (request, reply) => {
    const address = new URL(request.url, 'http://localhost')
    const [, userId, id] = /^\/files\/previews\/([\da-f-]{36})\/([\da-f-]{36})$/.exec(address.pathname) ?? []
    const width = PREVIEW_WIDTHS.find((each) => String(each) === address.searchParams.get('width'))
    if (!keyring || !isSigned(address, keyring) || !userId || !id || !width) throw mediaNotFound()
    const { etag, headers, isWaiting, open } = await openPreview(library, { userId, id }, width)
    const cacheControl = isWaiting ? 'no-store' : `private, max-age=${CACHE_SECONDS}`
    reply.headers({ etag, 'cache-control': cacheControl, 'x-content-type-options': 'nosniff' })
    if (isKnown(request, etag)) return reply.code(304).send()
    reply.headers(headers)
    // An empty stream, because Fastify would send a Content-Length of 0 if there were no body.
    return reply.send(request.method === 'HEAD' ? Readable.from([]) : await open())
  })
}
