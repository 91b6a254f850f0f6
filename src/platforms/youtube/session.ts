import type { Act, PublishedFile } from '../contract/adapter.ts'
import type { ErrorRow } from '../contract/error-table.ts'
import type { Io } from '../contract/io.ts'
import { PublishError, unexpected } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import { callNetwork, type NetworkResponse } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { fileBody, partOf } from '../wire/request-body.ts'
import { type Client, call, HOST, isId } from './client.ts'
import { videoOf } from './resource.ts'

// The resumable upload: https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol. The address of
// the session is the key of the video: it comes into being with the last byte, and one session makes at most one video.

/** Every chunk but the last is a multiple of 256 KiB. */
export const CHUNK_BYTES = 8_388_608

/** How far a session has come: `gone` for one that YouTube no longer knows. */
type Progress = { videoId: string } | { bytesReceived: number } | 'gone'

/** Begins a session. Nothing can come of one whose address was lost. */
export async function beginSession(client: Client, act: Act, file: PublishedFile, io: Io): Promise<string> {
  const { headers } = await call(client, io, 'upload/youtube/v3/videos', {
    method: 'POST',
    query: {
      uploadType: 'resumable',
      part: 'snippet,status',
      ...(act.fields.notifySubscribers === false && { notifySubscribers: 'false' }),
    },
    headers: { 'x-upload-content-length': String(file.bytes), 'x-upload-content-type': file.mimeType },
    body: videoOf(act),
    // The address of the session is in a header.
    answer: 'status',
  })
  const session = URL.parse(headers.get('location') ?? '')
  // The token goes with the bytes, and to Google alone.
  const isOfGoogle = session?.protocol === 'https:' && session.hostname.endsWith('.googleapis.com')
  if (!isOfGoogle) throw unexpected(HOST, false)
  return session.href
}

/** Asks a session how far it has come. */
export async function readProgress(client: Client, session: string, file: PublishedFile, io: Io): Promise<Progress> {
  const headers = { ...client.headers, 'content-range': `bytes */${file.bytes}` }
  const accept = [308, 404, 410]
  const response = await callNetwork(rulesOf(client, session), io, session, {
    method: 'PUT',
    headers,
    accept,
    answer: object({ id: TEXT }),
  })
  if (response.status === 404 || response.status === 410) return 'gone'
  return progressOf(response, file)
}

/** Sends `bytes` of the file from `from` on. The call with the last byte is `visible`. */
export async function sendBytes(
  client: Client,
  session: string,
  file: PublishedFile,
  { from, bytes }: { from: number; bytes: number },
  io: Io,
): Promise<Exclude<Progress, 'gone'>> {
  const end = from + bytes
  const headers = { ...client.headers, 'content-range': `bytes ${from}-${end - 1}/${file.bytes}` }
  const body = fileBody(partOf(file, { from, bytes }))
  const visible = end === file.bytes
  const response = await callNetwork(rulesOf(client, session), io, session, {
    method: 'PUT',
    headers,
    body,
    visible,
    accept: [308],
    answer: object({ id: TEXT }),
  })
  return progressOf(response, file, visible)
}

const SESSION_ENDED: ErrorRow = {
  status: [404, 410],
  means: 'tried later',
  note: 'The address of the upload has ended. The next attempt gets another.',
  source: 'https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol',
}

const rulesOf = (client: Client, session: string): Client => ({
  ...client,
  secrets: [...client.secrets, new URL(session).searchParams.get('upload_id') ?? ''],
  errors: [SESSION_ENDED, ...client.errors],
})

function progressOf(response: NetworkResponse, file: PublishedFile, visible = false): Exclude<Progress, 'gone'> {
  if (response.status !== 308) {
    const videoId = textAt(response.body, 'id')
    if (!isId(videoId)) throw unexpected(HOST, visible)
    return { videoId }
  }
  const range = response.headers.get('range')
  // YouTube leaves the header out if it has stored nothing.
  if (range === null) return { bytesReceived: 0 }
  const [, last] = /^bytes=0-(\d{1,15})$/.exec(range) ?? []
  const bytesReceived = Number(last) + 1
  if (!(bytesReceived <= file.bytes)) throw unexpected(HOST, visible)
  return { bytesReceived }
}

/** YouTube has stored less than it was sent. The session goes on from there. */
export const incomplete = () =>
  new PublishError(`${HOST} stored less of the video than it was sent`, {
    code: 'server_error',
    maybeSent: false,
    retryable: true,
  })
