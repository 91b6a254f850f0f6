import type { FastifyReply } from 'fastify'
import { COMPRESSED_FROM, chooseEncoding, compress, type Encoding, varyByEncoding } from './encodings.ts'
import { etagOfText, isKnown } from './preconditions.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

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
  varyByEncoding(reply)
  if (isKnown(reply.request, etag)) return reply.code(304).send()
  if (!encoding) return reply.type(type).send(bytes)
  const compressed = constant.compressed.get(encoding) ?? compress[encoding](bytes)
  constant.compressed.set(encoding, compressed)
  return reply
    .type(type)
    .header('content-encoding', encoding)
    .send(await compressed)
}
