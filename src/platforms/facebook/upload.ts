import type { Act, PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, unexpected } from '../contract/publish-error.ts'
import { type Answer, ID, object } from '../wire/answer.ts'
import { callNetwork, Refused } from '../wire/call-network.ts'
import { at, parseJson, textAt } from '../wire/json.ts'
import { fileBody, fileName, multipart, partOf, StreamedBody } from '../wire/request-body.ts'
import { keysOf } from './errors.ts'
import { callGraph, isId, type Page, SUCCESS, VERSION } from './graph.ts'
import type { Upload } from './state.ts'
import { readStatus } from './video-status.ts'

/** Videos have a host of their own: https://developers.facebook.com/docs/graph-api/video-uploads */
const VIDEO_HOST = `https://graph-video.facebook.com/${VERSION}`

/** Reels and stories: https://developers.facebook.com/docs/video-api/guides/reels-publishing */
const UPLOAD_HOST = `https://rupload.facebook.com/video-upload/${VERSION}`

/** How much is sent before the progress is stored. */
const STORE_EVERY_BYTES = 33_554_432

/**
 * https://developers.facebook.com/documentation/video-api/reference/error-codes: `error_data` has the expected offsets.
 */
const WRONG_OFFSET = '1363037'
const WRONG_OFFSETS_MAX = 3

const RANGE = { start_offset: ID, end_offset: ID }

/** The edge of the Page for a video of this post type. Videos of other types go to `videos`. */
export const edgeOf = ({ postType }: Act) =>
  postType === 'reel' ? 'video_reels' : postType === 'story' ? 'video_stories' : 'videos'

/** Begins an upload: the id of the video is known from here on. */
export async function beginUpload(page: Page, act: Act, { bytes }: PublishedFile, io: Io): Promise<Upload> {
  const edge = edgeOf(act)
  if (edge === 'videos') {
    const body = await callVideos(
      page,
      { upload_phase: 'start', file_size: String(bytes) },
      io,
      object({ ...RANGE, video_id: ID, upload_session_id: ID }),
    )
    const id = textAt(body, 'video_id')
    const session = textAt(body, 'upload_session_id')
    if (!isId(id) || session === undefined) throw unexpected(page.host, false)
    return { id, session, ...rangeOf(page, body, bytes), isComplete: false }
  }
  const body = await callGraph(page, io, `${page.id}/${edge}`, {
    form: { upload_phase: 'start' },
    answer: object({ video_id: ID }),
  })
  const id = textAt(body, 'video_id')
  if (!isId(id)) throw unexpected(page.host, false)
  return { id, session: null, from: 0, to: bytes, isComplete: false }
}

/** Sends more of the video. It is complete, or the progress has to be stored before the rest is sent. */
export const continueUpload = (page: Page, upload: Upload, file: PublishedFile, io: Io): Promise<Upload> =>
  upload.session === null
    ? sendRest(page, upload, file, io)
    : sendChunks(page, upload, { upload_session_id: upload.session }, file, io)

/** Sends in one request what Facebook does not have yet. */
async function sendRest(page: Page, upload: Upload, file: PublishedFile, io: Io): Promise<Upload> {
  const { isUploaded, bytesReceived, failure } = await readStatus(page, upload.id, io)
  if (failure !== undefined) throw impossible(failure)
  if (isUploaded) return { ...upload, isComplete: true }
  const from = Math.min(bytesReceived, file.bytes)
  const rest = from === 0 ? file : partOf(file, { from, bytes: file.bytes - from })
  if (rest.bytes > 0) {
    await callNetwork(page, io, `${UPLOAD_HOST}/${upload.id}`, {
      method: 'POST',
      headers: {
        authorization: page.headers.authorization!.replace('Bearer', 'OAuth'),
        offset: String(from),
        file_size: String(file.bytes),
      },
      body: fileBody({ ...rest, mimeType: 'application/octet-stream' }),
      answer: SUCCESS,
    })
  }
  return { ...upload, from: file.bytes, isComplete: true }
}

/** Sends the chunks that Facebook asks for: https://developers.facebook.com/docs/graph-api/video-uploads */
async function sendChunks(
  page: Page,
  upload: Upload,
  session: Record<string, string>,
  file: PublishedFile,
  io: Io,
): Promise<Upload> {
  let range = { from: upload.from, to: upload.to }
  let sent = 0
  let wrongOffsets = 0
  while (range.from < file.bytes && sent < STORE_EVERY_BYTES) {
    const { from, to } = range
    if (from === to) throw unexpected(page.host, false)
    const form = { upload_phase: 'transfer', ...session, start_offset: String(from) }
    const chunk = partOf(file, { from, bytes: to - from })
    try {
      const upload = { field: 'video_file_chunk', name: fileName(file, 0), file: chunk }
      range = rangeOf(page, await callVideos(page, multipart(form, [upload]), io, object(RANGE)), file.bytes)
      sent += to - from
    } catch (error) {
      if (!(error instanceof Refused) || keysOf(error.refusal).subcode !== WRONG_OFFSET) throw error
      // A worker that was killed had sent more than it stored.
      if (++wrongOffsets > WRONG_OFFSETS_MAX) throw error
      const data = at(error.refusal.body, 'error', 'error_data')
      range = rangeOf(page, typeof data === 'string' ? parseJson(data) : data, file.bytes)
    }
  }
  return { ...upload, ...range, isComplete: range.from === file.bytes }
}

/** Calls the edge for videos of the Page on its own host. */
export async function callVideos(
  page: Page,
  form: Record<string, string> | StreamedBody,
  io: Io,
  answer: Answer,
  visible = false,
): Promise<unknown> {
  const body = form instanceof StreamedBody ? form : new URLSearchParams(form)
  const { headers } = page
  const options = { method: 'POST', headers, body, visible, answer } as const
  return (await callNetwork(page, io, `${VIDEO_HOST}/${page.id}/videos`, options)).body
}

/** The next chunk that Facebook asks for. */
function rangeOf(page: Page, body: unknown, bytes: number): { from: number; to: number } {
  const from = Number(textAt(body, 'start_offset'))
  const to = Number(textAt(body, 'end_offset'))
  const isRange = Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= bytes
  if (!isRange) throw unexpected(page.host, false)
  return { from, to }
}
