import type { Act, PublishedFile } from '../contract/adapter.ts'
import { impossible, unexpected } from '../contract/publish-error.ts'
import { NUMBER, object, optional, orNothing, TEXT } from '../wire/answer.ts'
import { type NetworkResponse, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { fileName, multipart, partOf } from '../wire/request-body.ts'
import { type Client, ID } from './client.ts'
import { xContent } from './content.ts'

/**
 * Larger chunks were refused with 431: https://github.com/abraham/twitteroauth/issues/1257. At most 1,000 are accepted.
 */
export const CHUNK_BYTES = 2_097_152

/** After this many bytes, the progress is stored with the delivery, so that a crash repeats no more than them. */
export const SAVE_EVERY_BYTES = 8 * CHUNK_BYTES

/** The pause if X does not say when to look again. */
const LOOK_AGAIN_MS = 5_000

/** A file on X. */
export type Upload = {
  id: string
  mediaKey: string | null
  /** How many of its bytes X has. */
  bytesSent: number
  state: 'sending' | 'processing' | 'ready'
  /** Whether the upload was restarted because X refused to continue an earlier one. */
  isRestarted: boolean
}

interface Progress {
  uploads: Upload[]
  /** Null if all files are ready, otherwise the pause before the next call. */
  afterMs: number | null
}

/** Uploads the files of an act, from where an earlier call stopped. */
export async function uploadFiles(client: Client, act: Act, saved: readonly Upload[]): Promise<Progress> {
  const uploads = [...saved]
  const { altTexts } = xContent(act)
  for (const [index, file] of act.media.entries()) {
    const earlier = uploads[index]
    if (earlier?.state === 'ready') continue
    const { upload, afterMs } = await continueUpload(client, file, index, earlier)
    uploads[index] = upload
    if (afterMs !== null) return { uploads, afterMs }
    const altText = altTexts[index]
    if (altText) await describe(client, upload, altText)
  }
  return { uploads, afterMs: null }
}

/** https://docs.x.com/openapi.json: MediaUploadResponse */
const FILE = object({
  data: object({ id: TEXT, media_key: optional(TEXT), processing_info: optional(object({ state: TEXT })) }),
})

/** The version before, which takes the same files, responds to both without a body. */
const CHUNK = orNothing(object({ data: object({ expires_at: NUMBER }) }))

const DESCRIBED = orNothing(object({ data: object({ id: TEXT }) }))

type Step = { upload: Upload; afterMs: number | null }

async function continueUpload(client: Client, file: PublishedFile, index: number, earlier?: Upload): Promise<Step> {
  if (earlier?.state === 'processing') return lookAt(client, earlier)
  if (!earlier && file.kind === 'image') return sendImage(client, file, index)
  const upload = earlier ?? (await begin(client, file, false))
  try {
    return await sendChunks(client, file, index, upload)
  } catch (error) {
    // The bytes since the last stored progress are sent a second time. X does not say whether it accepts that.
    const isResumed = earlier !== undefined && earlier.bytesSent > 0 && !earlier.isRestarted
    if (!isResumed || !(error instanceof Refused)) throw error
    return { upload: await begin(client, file, true), afterMs: 1 }
  }
}

/** https://docs.x.com/x-api/media/upload-media: one call, for images only. */
async function sendImage(client: Client, file: PublishedFile, index: number): Promise<Step> {
  const body = multipart({ media_category: 'tweet_image' }, [{ field: 'media', name: fileName(file, index), file }])
  const response = await client.call('/2/media/upload', { method: 'POST', body, answer: FILE })
  const upload: Upload = { ...identityOf(client, response), bytesSent: file.bytes, state: 'ready', isRestarted: false }
  return stepOf(upload, response)
}

/** https://docs.x.com/x-api/media/initialize-media-upload */
async function begin(client: Client, file: PublishedFile, isRestarted: boolean): Promise<Upload> {
  const response = await client.call('/2/media/upload/initialize', {
    method: 'POST',
    body: { media_type: file.mimeType, total_bytes: file.bytes, media_category: categoryOf(file) },
    answer: FILE,
  })
  return { ...identityOf(client, response), bytesSent: 0, state: 'sending', isRestarted }
}

const CATEGORIES = { image: 'tweet_image', gif: 'tweet_gif', video: 'tweet_video' } as const

/** The limits refuse documents. */
const categoryOf = ({ kind }: PublishedFile) => CATEGORIES[kind as keyof typeof CATEGORIES]

/** Sends chunks until the file is complete, or until the progress has to be stored. */
async function sendChunks(client: Client, file: PublishedFile, index: number, upload: Upload): Promise<Step> {
  const path = `/2/media/upload/${upload.id}`
  const stopAt = upload.bytesSent + SAVE_EVERY_BYTES
  let { bytesSent } = upload
  while (bytesSent < file.bytes) {
    if (bytesSent >= stopAt) return { upload: { ...upload, bytesSent }, afterMs: 1 }
    const bytes = Math.min(CHUNK_BYTES, file.bytes - bytesSent)
    const chunk = partOf(file, { from: bytesSent, bytes })
    // https://docs.x.com/x-api/media/append-media-upload
    const body = multipart({ segment_index: String(bytesSent / CHUNK_BYTES) }, [
      { field: 'media', name: fileName(file, index), file: chunk },
    ])
    await client.call(`${path}/append`, { method: 'POST', body, answer: CHUNK })
    bytesSent += bytes
  }
  // https://docs.x.com/x-api/media/finalize-media-upload
  const response = await client.call(`${path}/finalize`, { method: 'POST', answer: FILE })
  const { mediaKey } = identityOf(client, response)
  return stepOf({ ...upload, bytesSent, mediaKey: mediaKey ?? upload.mediaKey }, response)
}

/** https://docs.x.com/x-api/media/get-media-upload-status */
async function lookAt(client: Client, upload: Upload): Promise<Step> {
  const query = new URLSearchParams({ command: 'STATUS', media_id: upload.id })
  const response = await client.call(`/2/media/upload?${query}`, { answer: FILE })
  identityOf(client, response)
  return stepOf(upload, response)
}

/** A file without `processing_info` is ready: https://docs.x.com/x-api/media/quickstart/media-upload-chunked */
function stepOf(upload: Upload, { body }: NetworkResponse): Step {
  const processing = at(body, 'data', 'processing_info')
  const state = textAt(processing, 'state') ?? 'succeeded'
  if (state === 'failed') {
    const words = textAt(processing, 'error', 'message') || textAt(processing, 'error', 'name')
    throw impossible(`api.x.com could not process the file${words ? `: ${words}` : ''}`)
  }
  if (state === 'succeeded') return { upload: { ...upload, state: 'ready' }, afterMs: null }
  const seconds = Number(textAt(processing, 'check_after_secs'))
  return { upload: { ...upload, state: 'processing' }, afterMs: seconds > 0 ? seconds * 1000 : LOOK_AGAIN_MS }
}

/**
 * https://docs.x.com/x-api/media/create-media-metadata. Videos have none:
 * https://docs.x.com/x-api/fundamentals/data-dictionary
 */
const describe = (client: Client, { id }: Upload, text: string) =>
  client.call('/2/media/metadata', {
    method: 'POST',
    body: { id, metadata: { alt_text: { text } } },
    answer: DESCRIBED,
  })

function identityOf(client: Client, { body }: NetworkResponse): { id: string; mediaKey: string | null } {
  const id = textAt(body, 'data', 'id') ?? ''
  if (!ID.test(id)) throw unexpected(client.host, false)
  return { id, mediaKey: textAt(body, 'data', 'media_key') ?? null }
}
