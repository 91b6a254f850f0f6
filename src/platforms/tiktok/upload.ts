import type { Act, PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { PublishError, unexpected } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import { callNetwork, type NetworkResponse } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { fileBody, partOf } from '../wire/request-body.ts'
import { type Client, call, HOST } from './client.ts'
import { isDraft } from './content.ts'
import { videoInfoOf } from './post.ts'
import type { Upload } from './state.ts'

// https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide

/** At least 5 MB and at most 64 MB. The last chunk also carries the rest, so it is less than twice as long. */
const CHUNK_BYTES = 10_000_000

/** The progress is stored with the delivery after this many bytes, so a crash repeats at most these. */
const STORE_EVERY_BYTES = 3 * CHUNK_BYTES

/** An upload takes at most an hour. */
const UPLOAD_MAX_MS = 3_600_000
/** For differences between clocks, and for calls in flight. */
const CLOCK_MARGIN_MS = 120_000

/** How often, in one attempt, TikTok may expect a chunk at another offset. */
const MISMATCHES_MAX = 3

const CHUNK_TAKEN = 206
const WRONG_RANGE = 416
/** The upload has expired, or TikTok does not know it. */
const GONE = [403, 404]

/** Creates the task of a video. Nobody sees it, and it publishes nothing without the last chunk. */
export async function createUpload(client: Client, act: Act, io: Io): Promise<{ publishId: string; upload: Upload }> {
  const { bytes } = act.media[0]!
  const chunkBytes = bytes < 2 * CHUNK_BYTES ? bytes : CHUNK_BYTES
  const source = {
    source: 'FILE_UPLOAD',
    video_size: bytes,
    chunk_size: chunkBytes,
    total_chunk_count: Math.floor(bytes / chunkBytes),
  }
  const [path, body] = isDraft(act)
    ? ['/v2/post/publish/inbox/video/init/', { source_info: source }]
    : ['/v2/post/publish/video/init/', { post_info: videoInfoOf(act), source_info: source }]
  const data = await call(client, io, path, { body, data: object({ publish_id: TEXT, upload_url: TEXT }) })
  const publishId = publishIdIn(data)
  const url = textAt(data, 'upload_url')
  if (publishId === undefined || !isUploadUrl(url)) throw unexpected(HOST, false)
  return { publishId, upload: { url, createdAt: Date.now(), isExpired: false, chunkBytes, bytesSent: 0 } }
}

export function publishIdIn(data: unknown): string | undefined {
  const id = textAt(data, 'publish_id')
  return id !== undefined && /^[\x21-\x7e]{1,64}$/.test(id) ? id : undefined
}

/** The bytes go to no other server. The page shows several hosts. */
function isUploadUrl(text: string | undefined): text is string {
  const url = URL.parse(text ?? '')
  return url?.protocol === 'https:' && url.hostname.endsWith('.tiktokapis.com') && url.port === ''
}

/** The start of the last chunk. */
export const lastChunkAt = ({ chunkBytes }: Upload, { bytes }: PublishedFile) =>
  (Math.floor(bytes / chunkBytes) - 1) * chunkBytes

/** The place at which the upload continues: the start of the chunk with the first byte that TikTok lacks. */
export const resumedAt = (upload: Upload, file: PublishedFile, bytesReceived: number): Upload => ({
  ...upload,
  bytesSent: Math.min(Math.floor(bytesReceived / upload.chunkBytes) * upload.chunkBytes, lastChunkAt(upload, file)),
})

/** TikTok takes no more bytes. */
export const isExpired = ({ createdAt, isExpired }: Upload) =>
  isExpired || Date.now() - createdAt > UPLOAD_MAX_MS + CLOCK_MARGIN_MS

/** Nothing more is sent, so that no call is in flight when the upload expires. */
export const endsSoon = (upload: Upload) =>
  isExpired(upload) || Date.now() - upload.createdAt > UPLOAD_MAX_MS - CLOCK_MARGIN_MS

/** Sends chunks until only the last one is left, or until the progress has to be stored. */
export async function sendChunks(saved: Upload, file: PublishedFile, io: Io): Promise<Upload> {
  let upload = saved
  for (let sent = 0, mismatches = 0; upload.bytesSent < lastChunkAt(upload, file) && sent < STORE_EVERY_BYTES; ) {
    const { status, headers } = await put(upload, file, io, upload.chunkBytes, false)
    if (GONE.includes(status)) return { ...upload, isExpired: true }
    if (status === WRONG_RANGE) {
      // A worker that was killed had sent more than it stored.
      const received = endOfRange(headers)
      if (received === undefined || ++mismatches > MISMATCHES_MAX) return { ...upload, isExpired: true }
      upload = resumedAt(upload, file, received + 1)
    } else {
      if (status !== CHUNK_TAKEN) throw unexpected(hostOf(upload), false)
      upload = { ...upload, bytesSent: upload.bytesSent + upload.chunkBytes }
      sent += upload.chunkBytes
    }
  }
  return upload
}

/** How far TikTok has come. The page does not say whether it is the number of bytes or the index of the last one. */
function endOfRange(headers: Headers): number | undefined {
  const [, end] = /^bytes 0-(\d{1,15})\/\d+$/.exec(headers.get('content-range') ?? '') ?? []
  return end === undefined ? undefined : Number(end)
}

/** Sends the last chunk, after which TikTok publishes the video. Returns false if the upload has expired. */
export async function sendLastChunk(upload: Upload, file: PublishedFile, io: Io): Promise<boolean> {
  const { status, headers } = await put(upload, file, io, file.bytes - upload.bytesSent, true)
  if (GONE.includes(status)) return false
  // An earlier copy of the chunk has arrived.
  const isThere = status === WRONG_RANGE && (endOfRange(headers) ?? 0) >= file.bytes - 1
  if (status === 201 || isThere) return true
  // TikTok may lack earlier bytes: the status of the task tells.
  throw new PublishError(`${hostOf(upload)} did not take the last part of the video (status ${status})`, {
    code: 'server_error',
    maybeSent: true,
    retryable: true,
  })
}

const hostOf = ({ url }: Upload) => new URL(url).host

/** The address itself is the permission, so that the call has no token. */
async function put(
  upload: Upload,
  file: PublishedFile,
  io: Io,
  bytes: number,
  visible: boolean,
): Promise<NetworkResponse> {
  const { url, bytesSent: from } = upload
  const rules = {
    host: hostOf(upload),
    isStorage: true,
    secrets: [url],
    words: () => undefined,
    errors: [],
  }
  return callNetwork(rules, io, url, {
    method: 'PUT',
    headers: { 'content-range': `bytes ${from}-${from + bytes - 1}/${file.bytes}` },
    body: fileBody(partOf(file, { from, bytes })),
    visible,
    answer: 'anything',
    accept: [WRONG_RANGE, ...GONE],
  })
}

/**
 * Not retryable: automatic retries would continue the upload that has expired. A retry by the owner begins a new one.
 */
export const uploadTimedOut = () =>
  new PublishError(`${HOST} did not take the whole video within an hour, three times`, {
    code: 'timeout',
    maybeSent: false,
    retryable: false,
  })
