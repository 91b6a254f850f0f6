import { randomUUID } from 'node:crypto'
import { FILE_EXTENSIONS, type MediaType } from '../../../schemas/media.ts'
import type { ByteRange, PublishedFile } from '../contract/adapter.ts'
import { PublishError } from '../contract/publish-error.ts'

/** A name for a file of a post, by its kind and its index in the post. Networks go by the extension. */
export function fileName({ kind, mimeType }: PublishedFile, index: number): string {
  return `${kind}-${index + 1}.${FILE_EXTENSIONS[mimeType as MediaType]}`
}

/** The address under which a network fetches a file. Throws if the service has no public address. */
export function publicUrlOf(file: PublishedFile, network: string): string {
  const url = file.publicUrl()
  if (url) return url.href
  const message = `${network} fetches files from Postroom, which has no public address: its operator has to set one, then retry`
  throw new PublishError(message, { code: 'public_url_missing', maybeSent: false, retryable: false })
}

/** The content of a file that is sent. */
export type Content = Pick<PublishedFile, 'mimeType' | 'bytes' | 'open'>

export interface Upload {
  field: string
  /** Contains no quotes and line breaks, like `field`. */
  name: string
  file: Content
}

/** A request body of bytes and files, streamed with its length known, so that no video is ever in memory. */
export class StreamedBody {
  readonly headers: Record<string, string>
  /** Whether every byte was handed over. The end of the last file may not have been read yet. */
  isRead = false
  /** Why the content of a file could not be read, or had another length than stored. */
  failure: unknown
  readonly #parts: readonly (Buffer | Content)[]
  readonly #bytes: number

  constructor(contentType: string, parts: readonly (Buffer | Content)[]) {
    this.#bytes = parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.bytes), 0)
    this.headers = { 'content-type': contentType, 'content-length': String(this.#bytes) }
    this.#parts = parts
  }

  stream(): ReadableStream<Uint8Array> {
    const bytes = this.#read()
    let isOver = false
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { value, done } = await bytes.next()
          if (isOver) return
          if (value) controller.enqueue(value)
          if (done) controller.close()
        } catch (error) {
          if (isOver) return
          this.failure = error
          controller.error(error)
        }
      },
      cancel: () => {
        isOver = true
        // Not awaited: a file that stalls would delay the end of the call.
        bytes.return(undefined).catch(() => {})
      },
    })
  }

  async *#read(): AsyncGenerator<Uint8Array, undefined> {
    let left = this.#bytes
    for (const part of this.#parts) {
      for await (const chunk of Buffer.isBuffer(part) ? [part] : contentOf(part)) {
        left -= chunk.length
        this.isRead = left === 0
        yield chunk
      }
    }
  }
}

/**
 * A multipart/form-data body (RFC 7578) of text fields, then files. Not a FormData: it takes Blobs, and Node 24 leaves
 * an unhandled rejection behind when the bytes of a Blob fail or the call is aborted.
 */
export function multipart(fields: Record<string, string>, uploads: readonly Upload[]): StreamedBody {
  const boundary = `postroom-${randomUUID()}`
  const parts: (Buffer | Content)[] = []
  const add = (text: string) => parts.push(Buffer.from(text))
  for (const [field, value] of Object.entries(fields)) {
    add(`--${boundary}\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`)
  }
  for (const { field, name, file } of uploads) {
    const disposition = `content-disposition: form-data; name="${field}"; filename="${name}"`
    add(`--${boundary}\r\n${disposition}\r\ncontent-type: ${file.mimeType}\r\n\r\n`)
    parts.push(file)
    add('\r\n')
  }
  add(`--${boundary}--\r\n`)
  return new StreamedBody(`multipart/form-data; boundary=${boundary}`, parts)
}

/** A part of a file, to be uploaded as a file of its own. */
export const partOf = (file: PublishedFile, range: ByteRange): PublishedFile => ({
  ...file,
  bytes: range.bytes,
  open: () => file.open(range),
})

/** The content of one file as the whole body. */
export const fileBody = (file: Content) => new StreamedBody(file.mimeType, [file])

/** The content of a file. Throws if it is not as long as stored. */
export async function* contentOf(file: Content): AsyncGenerator<Uint8Array> {
  let left = file.bytes
  for await (const chunk of await file.open()) {
    left -= chunk.length
    if (left < 0) break
    yield chunk
  }
  if (left !== 0) throw new Error('the length of a file differs from the stored one')
}
