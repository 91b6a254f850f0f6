import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { etagOfText, isKnown } from './preconditions.ts'

const compress = {
  // Above 5, brotli takes seconds for a megabyte, and saves a few percent.
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
}
type Encoding = keyof typeof compress

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Bytes. Below, compression saves no packet. */
const COMPRESSED_FROM = 1_400

/** A response that stays the same while the process runs. */
export interface Constant {
  type: string
  bytes: Buffer
  etag: string
  /** Each is made for the first client that accepts it. */
  compressed: Map<Encoding, Promise<Buffer>>
}

export const createConstant = (type: string, content: string | Buffer): Constant => ({
  type,
  bytes: Buffer.from(content),
  etag: etagOfText(content),
  compressed: new Map(),
})

/** Computes a value when it is first needed. */
export function once<T>(compute: () => T): () => T {
  let value: { is: T } | undefined
  return () => {
    value ??= { is: compute() }
    return value.is
  }
}

/** Sends a constant, compressed if the client accepts that, or 304 if the client has it. */
export async function sendConstant(
  reply: FastifyReply,
  constant: Constant,
  cacheControl: string,
): Promise<FastifyReply> {
  const { type, bytes, etag } = constant
  const encoding = bytes.length < COMPRESSED_FROM ? undefined : chooseEncoding(reply.request.headers['accept-encoding'])
  // A strong tag belongs to one sequence of bytes: https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.3
  reply.headers({ etag: encoding ? `W/${etag}` : etag, 'cache-control': cacheControl })
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
  if (isKnown(reply.request, etag)) return reply.code(304).send()
  if (!encoding) return reply.type(type).send(bytes)
  const compressed = constant.compressed.get(encoding) ?? compress[encoding](bytes)
  constant.compressed.set(encoding, compressed)
  return reply
    .type(type)
    .header('content-encoding', encoding)
    .send(await compressed)
}

/** The best encoding that a client accepts. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
function chooseEncoding(accepted = ''): Encoding | undefined {
  const refused = /;\s*q=0(?:\.0{0,3})?\s*$/
  const names = accepted
    .toLowerCase()
    .split(',')
    .filter((item) => !refused.test(item))
    .map((item) => item.split(';', 1)[0]!.trim())
  return (['br', 'gzip'] as const).find((name) => names.includes(name))
}
