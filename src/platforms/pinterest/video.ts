import type { PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, unexpected } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import type { NetworkRules } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { growingPauseMs } from '../wire/lost-response.ts'
import { fileName } from '../wire/request-body.ts'
import { sendForm } from '../wire/storage-form.ts'
import { type Client, HOST, isId } from './client.ts'

/** An uploaded video. */
export type Video = {
  id: string
  /** How often its status was read. */
  looks: number
}

/**
 * Registers a video, and uploads it in one request. After a failure, the next attempt registers the video again, under
 * another id. A video is visible only in a pin.
 * https://developers.pinterest.com/docs/work-with-organic-content-and-users/create-boards-and-pins/
 */
export async function uploadVideo(client: Client, file: PublishedFile, io: Io): Promise<Video> {
  const { body } = await client.call('/media', {
    method: 'POST',
    body: { media_type: 'video' },
    answer: object({ media_id: TEXT, upload_url: TEXT, upload_parameters: object() }),
  })
  const id = textAt(body, 'media_id')
  const url = URL.parse(textAt(body, 'upload_url') ?? '')
  const parameters = Object.entries(at(body, 'upload_parameters') ?? {})
  if (!isId(id) || url?.protocol !== 'https:' || !parameters.every(isField)) throw unexpected(HOST, false)
  // The parameters are the permission, so the storage gets no token. It reads no field after the file.
  const upload = { field: 'file', name: fileName(file, 0), file }
  await sendForm(storageAt(url.host), io, url, Object.fromEntries(parameters), upload)
  return { id, looks: 0 }
}

/**
 * Its errors are XML. 400 is for a permission that has expired, and for an upload that was too slow (ExpiredToken and
 * RequestTimeout of https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html): another upload may succeed.
 */
const storageAt = (host: string): NetworkRules => ({
  host,
  secrets: [],
  words: () => undefined,
  errors: [
    {
      means: 'tried later',
      note: 'The permission to upload has expired, or the upload was too slow.',
      source: 'https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html',
    },
  ],
  isStorage: true,
})

/** Whether a parameter can be written into the form, which escapes neither names nor values. */
const isField = (entry: [string, unknown]): entry is [string, string] =>
  /^[\w-]+$/.test(entry[0]) && typeof entry[1] === 'string' && !/[\r\n]/.test(entry[1])

export const LOOK_FIRST_MS = 5_000
const LOOK_MAX_MS = 60_000

/**
 * Reads the status of a video. Returns the milliseconds until it has to be read again: 0 if the video is ready, null if
 * Pinterest no longer has it. Throws if Pinterest cannot process it.
 */
export async function waitFor(client: Client, { id, looks }: Video): Promise<number | null> {
  const { status, body } = await client.call(`/media/${id}`, { accept: [404], answer: object({ status: TEXT }) })
  if (status === 404 && body !== undefined) return null
  switch (textAt(body, 'status')) {
    case 'succeeded':
      return 0
    case 'failed': {
      const reason = textAt(body, 'failure_code')
      throw impossible(`Pinterest could not process the video${reason ? `: ${reason}` : ''}`)
    }
    case 'registered':
    case 'processing':
      return growingPauseMs(looks, LOOK_FIRST_MS, LOOK_MAX_MS)
    default:
      throw unexpected(HOST, false)
  }
}
