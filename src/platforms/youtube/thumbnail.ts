import { Readable } from 'node:stream'
import type { Act, Io, Sent } from '../adapter.ts'
import { connectionError } from '../call-network.ts'
import { impossible, PublishError } from '../publish-error.ts'
import { fileBody } from '../request-body.ts'
import { type Client, call, reasonOf } from './client.ts'

/** Since 2026-09-14, before that 2 MB: https://developers.google.com/youtube/v3/docs/thumbnails/set */
const BYTES_MAX = 52_428_800
const VERIFY = 'https://www.youtube.com/verify'
const MIME_TYPES = ['image/jpeg', 'image/png']

/**
 * Passes the image at an address on to YouTube: https://developers.google.com/youtube/v3/docs/thumbnails/set. A second call
 * sets the same image.
 */
export async function setThumbnail(client: Client, { parent, text: url }: Act, io: Io): Promise<Sent> {
  const image = await openImage(url, io)
  await call(rulesOf(client), io, 'upload/youtube/v3/thumbnails/set', {
    method: 'POST',
    query: { videoId: parent!.id },
    body: fileBody(image),
    visible: true,
  })
  return parent!
}

/** https://developers.google.com/youtube/v3/docs/thumbnails/set#errors */
const rulesOf = (client: Client): Client => ({
  ...client,
  words(body) {
    const words = client.words(body)
    return reasonOf(body) === 'forbidden' ? `${words} The owner of the channel verifies it at ${VERIFY}` : words
  },
})

/** Requests the image. Its body is read when it is sent. */
async function openImage(url: string, io: Io) {
  const name = `The image of thumbnailUrl at ${URL.parse(url)?.host}`
  // A compressed image would have another length than its header says.
  const response = await io
    .fetch(url, { headers: { accept: MIME_TYPES.join(), 'accept-encoding': 'identity' }, signal: io.signal })
    .catch((error) => {
      throw lostImage(error, url)
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
  return { mimeType, bytes, open: async () => Readable.from(contentOf(body, url)) }
}

async function* contentOf(body: NonNullable<Response['body']>, url: string) {
  try {
    yield* body
  } catch (error) {
    throw lostImage(error, url)
  }
}

function lostImage(error: unknown, url: string): PublishError {
  const { message, code } = connectionError(error, `thumbnailUrl: ${URL.parse(url)?.host}`)
  return new PublishError(message, { code, maybeSent: false, retryable: true })
}
