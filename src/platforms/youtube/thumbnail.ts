import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Act, Io, Sent } from '../adapter.ts'
import { connectionError } from '../call-network.ts'
import { impossible, PublishError } from '../publish-error.ts'
import { fileBody } from '../request-body.ts'
import { type Client, call } from './client.ts'

/** Since 2026-09-14, before that 2 MB: https://developers.google.com/youtube/v3/docs/thumbnails/set */
const BYTES_MAX = 52_428_800
const MIME_TYPES = ['image/jpeg', 'image/png']

/**
 * Passes the image at an address on to YouTube: https://developers.google.com/youtube/v3/docs/thumbnails/set. A second call
 * sets the same image.
 */
export async function setThumbnail(client: Client, { parent, text: url }: Act, io: Io): Promise<Sent> {
  const image = await openImage(url, io)
  await call(client, io, 'upload/youtube/v3/thumbnails/set', {
    method: 'POST',
    query: { videoId: parent!.id },
    body: fileBody(image),
    visible: true,
  })
  return parent!
}

/** Requests the image. Its body is read when it is sent. */
async function openImage(url: string, io: Io) {
  const name = `The image of thumbnailUrl at ${URL.parse(url)?.host}`
  // A compressed image would have another length than its header says.
  const response = await io
    .fetch(url, { headers: { accept: MIME_TYPES.join(), 'accept-encoding': 'identity' }, signal: io.signal })
    .catch((error) => {
      const { message, code } = connectionError(error, `thumbnailUrl: ${URL.parse(url)?.host}`)
      throw new PublishError(message, { code, maybeSent: false, retryable: true })
    })
  const { status, headers, body } = response
  const [mimeType = '', bytes] = [headers.get('content-type')?.split(';')[0], Number(headers.get('content-length'))]
  const problem =
    (status !== 200 && `could not be loaded: status ${status}`) ||
    (!MIME_TYPES.includes(mimeType) && 'has to be a JPEG or a PNG') ||
    (headers.has('content-encoding') && 'is compressed, although it was requested as it is') ||
    (!(bytes > 0) && 'has no Content-Length, which its server has to send') ||
    (bytes > BYTES_MAX && `has ${bytes} bytes, at most ${BYTES_MAX} are allowed`)
  if (problem || !body) {
    await body?.cancel()
    if (status >= 500 || status === 429) {
      throw new PublishError(`${name} ${problem}`, { code: 'unreachable', maybeSent: false, retryable: true })
    }
    throw impossible(`${name} ${problem}`)
  }
  return { mimeType, bytes, open: async () => Readable.fromWeb(body as ReadableStream) }
}
