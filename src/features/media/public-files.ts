import { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import { fail } from '../../base/errors.ts'
import type { Keyring } from '../../base/keyring/keyring.ts'
import { NotStoredError, UnpublishableError } from '../../base/storage/storage.ts'
import { addressedFile } from './file-address.ts'
import type { PublishedFiles } from './published-files.ts'

interface PublicFilesOptions {
  storage: PublishedFiles
  keyring: Keyring | undefined
}

/**
 * Serves published files to networks, by addresses that workers sign. The signature replaces the API key. This service
 * sends the bytes even if they are in a bucket: no network documents that it follows redirects.
 */
export const publicFiles: FastifyPluginAsync<PublicFilesOptions> = async (app, { storage, keyring }) => {
  app.get('/files/:name', { schema: { hide: true } }, async (request, reply) => {
    const file = keyring && addressedFile(new URL(request.url, 'http://localhost'), keyring)
    if (!file) throw notFound()
    const { storageKey, mimeType } = file
    const bytes = await storage.size(storageKey).catch(throwNotFound)
    const range = requestedRange(request.headers, bytes)
    reply.headers({ 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' })
    if (range === 'outside') {
      reply.header('content-range', `bytes */${bytes}`)
      throw fail('range_not_satisfiable')
    }
    if (range) reply.code(206).header('content-range', `bytes ${range.from}-${range.from + range.bytes - 1}/${bytes}`)
    reply.headers({ 'content-type': mimeType, 'content-length': String(range?.bytes ?? bytes) })
    // An empty stream, because Fastify would send a Content-Length of 0 if there were no body.
    if (request.method === 'HEAD') return reply.send(Readable.from([]))
    return reply.send(await storage.read(storageKey, range).catch(throwNotFound))
  })
}

/**
 * The part of a file that a request selects; undefined for the whole. The server may ignore malformed ranges and
 * several in one header (RFC 9110, 14.2). It has to ignore all with an If-Range that no validator matches (13.1.5).
 */
function requestedRange(
  { range, 'if-range': condition }: { range?: string | undefined; 'if-range'?: string | string[] | undefined },
  bytes: number,
): { from: number; bytes: number } | 'outside' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (condition !== undefined || first === undefined || (first === '' && last === '')) return undefined
  const from = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const to = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < from) return undefined
  return from < bytes ? { from, bytes: to - from + 1 } : 'outside'
}

const notFound = () => fail('media_not_found')

function throwNotFound(error: unknown): never {
  throw error instanceof NotStoredError || error instanceof UnpublishableError ? notFound() : error
}
