import type { Act, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { list, object } from '../wire/answer.ts'
import { JPEG_OR_PNG, openImage } from '../wire/remote-image.ts'
import { fileBody } from '../wire/request-body.ts'
import { type Client, call } from './client.ts'
import { reasonOf } from './errors.ts'

/** Since 2026-09-14, before that 2 MB: https://developers.google.com/youtube/v3/docs/thumbnails/set */
const BYTES_MAX = 52_428_800
const VERIFY = 'https://www.youtube.com/verify'
const IMAGE = { field: 'thumbnailUrl', mimeTypes: JPEG_OR_PNG, bytesMax: BYTES_MAX }

/**
 * Passes the image at an address on to YouTube: https://developers.google.com/youtube/v3/docs/thumbnails/set. A second
 * call sets the same image.
 */
export async function setThumbnail(client: Client, { parent, text: url }: Act, io: Io): Promise<Sent> {
  const image = await openImage(url, io, IMAGE)
  await call(rulesOf(client), io, 'upload/youtube/v3/thumbnails/set', {
    method: 'POST',
    query: { videoId: parent!.id },
    body: fileBody(image),
    visible: true,
    answer: object({ items: list() }),
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
