import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const compress = {
  // Above 5, brotli takes seconds for a megabyte, and saves a few percent.
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer | string): Promise<Buffer> => promisify(gzip)(bytes),
}
export type Encoding = keyof typeof compress
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/** Bytes. Below, compression saves no packet. */
export const COMPRESSED_FROM = 1_400

/** The first encoding of `possible` that a client accepts. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
export function chooseEncoding(accepted = '', possible = ENCODINGS): Encoding | undefined {
  const refused = /;\s*q=0(?:\.0{0,3})?\s*$/
  const names = accepted
    .toLowerCase()
    .split(',')
    .filter((item) => !refused.test(item))
    .map((item) => item.split(';', 1)[0]!.trim())
  return possible.find((name) => names.includes(name))
}

/** A response may be different for a client that accepts another encoding. */
export const varyByEncoding = (reply: FastifyReply) =>
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))

/**
 * Compresses the JSON of a read for a client that accepts gzip, which takes less memory than brotli. A response with an
 * ETag stays as it is: the tag is for `If-Match`, so it must be strong, and a strong one belongs to one sequence of
 * bytes. Secrets are in responses to `POST` alone.
 */
export function compressRead(
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<Buffer> | undefined {
  const accepted = headers['accept-encoding']
  if (accepted === undefined || method !== 'GET' || typeof payload !== 'string') return undefined
  const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
  if (payload.length < COMPRESSED_FROM || !isJson || reply.hasHeader('etag')) return undefined
  varyByEncoding(reply)
  if (!chooseEncoding(accepted, ['gzip'])) return undefined
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  return compress.gzip(payload)
}
