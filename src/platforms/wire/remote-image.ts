import { Readable } from 'node:stream'
import type { Io } from '../contract/io.ts'
import { impossible, PublishError } from '../contract/publish-error.ts'
import { connectionError } from './call-network.ts'
import type { Content } from './request-body.ts'

export const JPEG_OR_PNG = ['image/jpeg', 'image/png'] as const

interface ImageRules {
  /** The key of `fields` that holds the address. */
  field: string
  mimeTypes: readonly string[]
  bytesMax: number
}

/** Requests an image that is passed on to a network. Its body is read when it is sent. */
export async function openImage(url: string, io: Io, { field, mimeTypes, bytesMax }: ImageRules): Promise<Content> {
  const name = `The image of ${field} at ${URL.parse(url)?.host}`
  const lost = (error: unknown): PublishError => {
    const { message, code } = connectionError(error, `${field}: ${URL.parse(url)?.host}`)
    return new PublishError(message, { code, maybeSent: false, retryable: true })
  }
  // A compressed image would have another length than its header says.
  const response = await io
    .fetch(url, { headers: { accept: mimeTypes.join(), 'accept-encoding': 'identity' }, signal: io.signal })
    .catch((error) => {
      throw lost(error)
    })
  const { status, headers, body } = response
  const mimeType = headers.get('content-type')?.split(';')[0] ?? ''
  const bytes = Number(headers.get('content-length'))
  const types = mimeTypes.map((type) => `a ${type.replace('image/', '').toUpperCase()}`).join(' or ')
  const problem =
    (status !== 200 && `could not be loaded: status ${status}`) ||
    (!mimeTypes.includes(mimeType) && `has to be ${types}`) ||
    (headers.has('content-encoding') && 'is compressed, although it was requested as it is') ||
    (!(bytes > 0) && 'has no Content-Length, which its server has to send') ||
    (bytes > bytesMax && `has ${bytes} bytes, at most ${bytesMax} are allowed`)
  if (problem || !body) {
    await body?.cancel()
    if (status >= 500 || status === 429) {
      throw new PublishError(`${name} ${problem}`, { code: 'unreachable', maybeSent: false, retryable: true })
    }
    throw impossible(`${name} ${problem}`)
  }
  const content = async function* () {
    try {
      yield* body
    } catch (error) {
      throw lost(error)
    }
  }
  return { mimeType, bytes, open: async () => Readable.from(content()) }
}

/** The same image in memory, so that it can be sent again. */
export async function readImage(url: string, io: Io, rules: ImageRules): Promise<Content> {
  const image = await openImage(url, io, rules)
  const chunks: Uint8Array[] = []
  let left = image.bytes
  for await (const chunk of await image.open()) {
    left -= chunk.length
    if (left < 0) throw impossible(`The image of ${rules.field} is longer than its Content-Length`)
    chunks.push(chunk)
  }
  const content = Buffer.concat(chunks)
  return { mimeType: image.mimeType, bytes: content.length, open: async () => Readable.from([content]) }
}
