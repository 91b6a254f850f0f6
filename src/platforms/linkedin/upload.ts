import type { Act, PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { PublishError, unexpected } from '../contract/publish-error.ts'
import { TEXT } from '../wire/answer.ts'
import { callNetwork, Refused } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { growingPauseMs } from '../wire/lost-response.ts'
import { JPEG_OR_PNG, readImage } from '../wire/remote-image.ts'
import { type Content, fileBody } from '../wire/request-body.ts'
import { initializeUpload, readStatus, resourceOf } from './asset.ts'
import { type Client, HOST } from './client.ts'
import { linkedinContent } from './content.ts'
import { codeOf, UPLOAD_EXPIRED } from './errors.ts'
import { startVideo, uploadParts, type VideoUpload } from './video.ts'

/** The files of a post on LinkedIn. */
export type Uploads = {
  /** The URNs of the uploaded files, in order. */
  urns: string[]
  /** The URN of the picture of the link, once it is uploaded. */
  thumbnail?: string
  /** The video that is being uploaded. */
  video: VideoUpload | null
  /** How many of the files are known to be processed. */
  processed: number
  /** Milliseconds since 1970. */
  uploadedAt: number
  /** How often the files in processing were queried, then the list of posts. */
  looks: number
}

export const NO_UPLOADS: Uploads = { urns: [], video: null, processed: 0, uploadedAt: 0, looks: 0 }

/** The progress is stored after this many bytes, so that a worker that takes over repeats no more than that. */
const BYTES_PER_RUN = 16 * 1024 * 1024

/** The limit of a link's picture, which is read into memory. LinkedIn states no limit. */
const LINK_IMAGE_BYTES_MAX = 5_242_880

/** The pause before the upload goes on. */
const CONTINUE_MS = 100

/**
 * The time for which files are processed if the token may not read their state. A post whose file is still in
 * processing is accepted, and shows when it is processed:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api
 */
const UNREADABLE_PROCESSING_MS = 15_000

/** The queries after which a file that LinkedIn still waits for is lost: some four minutes. A proxy has taken it. */
const INCOMPLETE_LOOKS_MAX = 8

const filesMissing = () =>
  new PublishError(`${HOST} did not get a file of the post`, {
    code: 'server_error',
    maybeSent: false,
    retryable: true,
    discardsPrepared: true,
  })

/** The pause before files in processing are queried again. Each query counts towards the day's quota of the member. */
const pauseMs = (looks: number) => growingPauseMs(looks, 2_000, 60_000)

/** Continues the uploads of an act, and returns whether all files are ready, or when to come back. */
export async function upload(
  act: Act,
  client: Client,
  io: Io,
  saved: Uploads,
): Promise<{ uploads: Uploads; afterMs: number | null }> {
  const uploads = { ...saved, urns: [...saved.urns] }
  const { media } = act
  const thumbnailUrl = linkedinContent(act).link?.imageUrl
  if (thumbnailUrl && !uploads.thumbnail) {
    const rules = { field: 'linkImageUrl', mimeTypes: JPEG_OR_PNG, bytesMax: LINK_IMAGE_BYTES_MAX }
    const image = await readImage(thumbnailUrl, io, rules)
    uploads.thumbnail = await uploadWhole('image', image, client, io)
    uploads.uploadedAt = Date.now()
  }
  let bytes = 0
  while (uploads.urns.length < media.length) {
    if (bytes >= BYTES_PER_RUN) return { uploads, afterMs: CONTINUE_MS }
    const file = media[uploads.urns.length]!
    if (file.kind === 'video') {
      const isExpired = uploads.video !== null && uploads.video.expiresAt < Date.now()
      const video = uploads.video === null || isExpired ? await startVideo(file, client, io) : uploads.video
      const result = await uploadParts(file, video, client, io, BYTES_PER_RUN).catch((error: unknown) => {
        // Only an upload that has come further starts again, so that this ends.
        if (video.etags.length > 0 && isAddressExpired(error)) return null
        throw error
      })
      if (!result) return { uploads: { ...uploads, video: null }, afterMs: CONTINUE_MS }
      uploads.video = result.isComplete ? null : result.video
      if (!result.isComplete) return { uploads, afterMs: CONTINUE_MS }
      uploads.urns.push(video.urn)
    } else {
      uploads.urns.push(await uploadWhole(file.kind === 'document' ? file.kind : 'image', file, client, io))
    }
    bytes += file.bytes
    uploads.uploadedAt = Date.now()
  }
  return awaitProcessing(uploads, media, client, io)
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/error-responses */
const isAddressExpired = (error: unknown) => error instanceof Refused && codeOf(error.refusal) === UPLOAD_EXPIRED

async function awaitProcessing(uploads: Uploads, media: readonly PublishedFile[], client: Client, io: Io) {
  while (uploads.processed < media.length) {
    const urn = uploads.urns[uploads.processed]!
    const status = await readStatus(urn, media[uploads.processed]!, client, io)
    if (status === 'incomplete' && uploads.looks >= INCOMPLETE_LOOKS_MAX) throw filesMissing()
    if (status === 'processing' || status === 'incomplete') {
      return { uploads: { ...uploads, looks: uploads.looks + 1 }, afterMs: pauseMs(uploads.looks) }
    }
    if (status === 'unreadable') {
      const leftMs = uploads.uploadedAt + UNREADABLE_PROCESSING_MS - Date.now()
      return leftMs > 0 ? { uploads, afterMs: leftMs } : { uploads, afterMs: null }
    }
    uploads.processed++
  }
  return { uploads, afterMs: null }
}

/**
 * Uploads an image, a GIF or a document with one request, and returns its URN.
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api and /documents-api
 */
async function uploadWhole(kind: 'image' | 'document', file: Content, client: Client, io: Io): Promise<string> {
  const value = await initializeUpload(resourceOf(kind), {}, { [kind]: TEXT, uploadUrl: TEXT }, client, io)
  const urn = textAt(value, kind)
  const uploadUrl = textAt(value, 'uploadUrl')
  if (!urn || !isOfLinkedIn(uploadUrl)) throw unexpected(HOST, false)
  const { authorization = '' } = client.headers
  const options = { method: 'PUT', headers: { authorization }, body: fileBody(file), answer: 'status' } as const
  await callNetwork(client, io, uploadUrl, options)
  return urn
}

/** The token goes with the file, and to LinkedIn alone. */
function isOfLinkedIn(uploadUrl: string | undefined): uploadUrl is string {
  const url = URL.parse(uploadUrl ?? '')
  return url?.protocol === 'https:' && url.hostname.endsWith('.linkedin.com')
}
