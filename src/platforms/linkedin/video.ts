import type { PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { list, NUMBER, object, optional, TEXT } from '../wire/answer.ts'
import { callNetwork, Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { fileBody, partOf } from '../wire/request-body.ts'
import { initializeUpload, readStatus } from './asset.ts'
import { type Client, call, HOST } from './client.ts'

/** A video whose parts are being uploaded. */
export type VideoUpload = {
  urn: string
  token: string
  /** Milliseconds since 1970. */
  expiresAt: number
  /** In order. Each part has an address of its own. */
  parts: { url: string; from: number; bytes: number }[]
  /** The ETags of the uploaded parts. */
  etags: string[]
}

/** Upload addresses are not used in their last minute. */
const EXPIRY_MARGIN_MS = 60_000

const VIDEO = {
  video: TEXT,
  uploadToken: optional(TEXT),
  uploadUrlsExpireAt: optional(NUMBER),
  uploadInstructions: list(object({ uploadUrl: TEXT, firstByte: NUMBER, lastByte: NUMBER })),
}

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api#initialize-video-upload
 */
export async function startVideo(file: PublishedFile, client: Client, io: Io): Promise<VideoUpload> {
  const parameters = { fileSizeBytes: file.bytes, uploadCaptions: false, uploadThumbnail: false }
  const value = await initializeUpload('videos', parameters, VIDEO, client, io)
  const urn = textAt(value, 'video')!
  const instructions = at(value, 'uploadInstructions') as unknown[]
  const parts = instructions.map((instruction: unknown) => {
    const from = Number(at(instruction, 'firstByte'))
    return {
      url: textAt(instruction, 'uploadUrl') ?? '',
      from,
      bytes: Number(at(instruction, 'lastByte')) + 1 - from,
    }
  })
  if (!isWhole(parts, file.bytes)) throw unexpected(HOST, false)
  const expiresAt = Number(at(value, 'uploadUrlsExpireAt') ?? Date.now() + 3_600_000) - EXPIRY_MARGIN_MS
  return { urn, token: textAt(value, 'uploadToken') ?? '', expiresAt, parts, etags: [] }
}

/** Whether the parts follow each other and cover the whole file. */
function isWhole(parts: VideoUpload['parts'], bytes: number): boolean {
  let next = 0
  for (const part of parts) {
    if (part.from !== next || !(part.bytes > 0) || URL.parse(part.url)?.protocol !== 'https:') return false
    next += part.bytes
  }
  return next === bytes
}

/** Uploads further parts, `bytesMax` at least and a part more at most, and finishes the upload after the last one. */
export async function uploadParts(
  file: PublishedFile,
  saved: VideoUpload,
  client: Client,
  io: Io,
  bytesMax: number,
): Promise<{ video: VideoUpload; isComplete: boolean }> {
  const video = { ...saved, etags: [...saved.etags] }
  let bytes = 0
  for (const part of video.parts.slice(video.etags.length)) {
    if (bytes >= bytesMax) return { video, isComplete: false }
    const body = fileBody({ ...partOf(file, part), mimeType: 'application/octet-stream' })
    // The address itself is the permission:
    // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api#upload-the-video
    const { headers } = await callNetwork(client, io, part.url, { method: 'PUT', body, answer: 'status' })
    const etag = headers.get('etag')
    if (etag === null) throw unexpected(HOST, false)
    video.etags.push(etag.replace(/^(?:W\/)?"(.*)"$/, '$1'))
    bytes += part.bytes
  }
  // The last parts and their tags are stored before the upload is finished, because it can be finished only once.
  if (bytes > 0) return { video, isComplete: false }
  await finalize(file, video, client, io)
  return { video, isComplete: true }
}

async function finalize(file: PublishedFile, { urn, token, etags }: VideoUpload, client: Client, io: Io) {
  try {
    await call(client, io, '/rest/videos?action=finalizeUpload', {
      method: 'POST',
      body: { finalizeUploadRequest: { video: urn, uploadToken: token, uploadedPartIds: etags } },
      answer: 'status',
    })
  } catch (error) {
    // An earlier call, whose response was lost, may have finished it.
    if (!(error instanceof Refused)) throw error
    const status = await readStatus(urn, file, client, io)
    if (status === 'incomplete' || status === 'unreadable') throw error
  }
}
