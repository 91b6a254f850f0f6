import { checkFields, graphError, refuse } from './facebook-errors.ts'
import { hasOtherSound, hasOtherVideo } from './files.ts'
import { type Recorded, Refused, type Reply } from './network.ts'

interface Video {
  id: string
  edge: 'videos' | 'video_reels' | 'video_stories'
  /** The session of an upload in chunks. */
  session: string | null
  bytes: Buffer
  /** Unknown until the first bytes of an upload in one request. */
  size: number | null
  finished: { description?: string; title?: string } | null
  /** Number of further responses that report it in processing; a text is the reason of its failure. */
  looks: number | string
  edits: number
}

export interface FakeVideos {
  videos: Map<string, Video>
  /**
   * How often a video is reported to be in processing, and the last time in publishing; a text is the reason of its
   * failure.
   */
  processing: number | string
  /** The size of the requested chunks. */
  chunkBytes: number
  /** An upload in one request ends after this many bytes, without a response. */
  cutOffAfterBytes: number | null
  /** Whether videos have the id of their post. */
  hasPostIds: boolean
  /** The rest of the day's 30 reels. */
  reelsLeft: number
  hasVideo(id: string): boolean
  liveIds(): string[]
  isProcessed(id: string): boolean
  hasFailed(id: string): boolean
  respond(call: Recorded): Reply | undefined
}

interface Parts {
  pageId: string
  nextId(): string
  createStory(mediaType: 'video', mediaId: string): Reply
  needs(...scopes: string[]): void
  publishesAgain(): boolean
}

const EDGE = /^\/v\d+\.0\/(\d+)\/(videos|video_reels|video_stories)$/

/** The shape of https://developers.facebook.com/docs/video-api/guides/reels-publishing */
const uploadError = (type: string, message: string): never => {
  throw new Refused({ status: 400, body: { debug_info: { retriable: false, type, message } } })
}

/**
 * Videos of a Page: in chunks as https://developers.facebook.com/docs/graph-api/video-uploads describes it, reels and
 * stories as https://developers.facebook.com/docs/video-api/guides/reels-publishing and …/docs/page-stories-api do.
 */
export function videosOf({ pageId, nextId, createStory, needs, publishesAgain }: Parts): FakeVideos {
  const videos = new Map<string, Video>()

  const rangeOf = ({ bytes, size }: Video) => ({
    start_offset: String(bytes.length),
    end_offset: String(Math.min(bytes.length + fake.chunkBytes, size!)),
  })

  const start = (edge: Video['edge'], size: string | undefined): Reply => {
    const isChunked = edge === 'videos'
    if (isChunked && !(Number(size) > 0)) refuse(100, '(#100) The parameter file_size is required')
    if (edge === 'video_reels' && fake.reelsLeft-- <= 0)
      refuse(613, '(#613) Calls to this api have exceeded the rate limit.')
    const video: Video = {
      id: nextId(),
      edge,
      session: isChunked ? nextId() : null,
      bytes: Buffer.alloc(0),
      size: isChunked ? Number(size) : null,
      finished: null,
      looks: fake.processing,
      edits: 0,
    }
    videos.set(video.id, video)
    if (isChunked) {
      return { status: 200, body: { video_id: video.id, upload_session_id: video.session, ...rangeOf(video) } }
    }
    return {
      status: 200,
      body: { video_id: video.id, upload_url: `https://rupload.facebook.com/video-upload/v26.0/${video.id}` },
    }
  }

  const sessionOf = (form: Record<string, string>) =>
    [...videos.values()].find(({ session }) => session !== null && session === form.upload_session_id) ??
    refuse(100, 'Invalid parameter', { error_user_msg: 'The upload session does not exist.' })

  const transfer = (form: Record<string, string>, { files }: Recorded): Reply => {
    const video = sessionOf(form)
    const chunk = files.find(({ field }) => field === 'video_file_chunk')
    if (!chunk) return refuse(100, 'No Video Selected', { error_subcode: 1363020 })
    const expected = rangeOf(video)
    if (form.start_offset !== expected.start_offset) {
      const error_data = { start_offset: video.bytes.length, end_offset: Number(expected.end_offset) }
      refuse(6000, 'There was a problem uploading your video. Please try uploading it again.', {
        error_subcode: 1363037,
        error_data,
      })
    }
    video.bytes = Buffer.concat([video.bytes, chunk.bytes])
    if (video.bytes.length > video.size!) refuse(6000, 'There was a problem', { error_subcode: 1363033 })
    return { status: 200, body: rangeOf(video) }
  }

  const finish = (video: Video, form: Record<string, string>): Reply => {
    if (video.finished && !publishesAgain())
      return refuse(100, 'Invalid parameter', { error_user_msg: 'The video was published before.' })
    if (video.size === null || video.bytes.length < video.size)
      refuse(100, 'Video Upload Is Missing', { error_subcode: 1363130 })
    if (video.edge === 'video_reels' && form.video_state !== 'PUBLISHED')
      refuse(100, '(#100) Missing parameter: video_state')
    const { description, title } = form
    const isUnsupported = hasOtherVideo(video.bytes, ['avc', 'hevc', 'vp9', 'av1']) || hasOtherSound(video.bytes)
    if (video.edge !== 'videos' && isUnsupported) video.looks = 'The video file format is not supported.'
    video.finished = { ...(description && { description }), ...(title && { title }) }
    if (video.edge === 'video_stories') return createStory('video', video.id)
    return { status: 200, body: { success: true } }
  }

  const post = (edge: Video['edge'], call: Recorded): Reply => {
    needs('pages_manage_posts', 'pages_read_engagement')
    const form = (call.body ?? {}) as Record<string, string>
    if ((edge === 'videos') !== (call.host === 'graph-video.facebook.com')) refuse(2500, 'Unknown path components')
    switch (form.upload_phase) {
      case 'start':
        return start(edge, form.file_size)
      case 'transfer':
        return edge === 'videos' ? transfer(form, call) : refuse(100, '(#100) Invalid upload_phase')
      case 'finish': {
        const video = edge === 'videos' ? sessionOf(form) : videos.get(form.video_id ?? '')
        return video?.edge === edge ? finish(video, form) : refuse(100, '(#100) Missing parameter: video_id')
      }
      default:
        return refuse(100, '(#100) Missing parameter: upload_phase')
    }
  }

  /** https://developers.facebook.com/docs/video-api/guides/reels-publishing, step 2 */
  const upload = ({ path, headers, files }: Recorded): Reply => {
    const video = videos.get(path.split('/').at(-1)!)
    if (!video || video.edge === 'videos') return uploadError('NotFoundError', 'The video does not exist')
    const [offset, size] = [Number(headers.offset), Number(headers.file_size)]
    if (!Number.isInteger(offset) || offset !== video.bytes.length)
      return uploadError('OffsetInvalidError', 'Offset mismatch')
    if (!(size > 0)) return uploadError('ParameterValidationError', 'Header file_size is missing')
    video.size = size
    const received = files[0]?.bytes ?? Buffer.alloc(0)
    if (fake.cutOffAfterBytes !== null) {
      video.bytes = Buffer.concat([video.bytes, received.subarray(0, fake.cutOffAfterBytes)])
      fake.cutOffAfterBytes = null
      return { status: 500, body: { debug_info: { retriable: true, type: 'ServerError', message: 'Try again' } } }
    }
    video.bytes = Buffer.concat([video.bytes, received])
    if (video.bytes.length !== size) return uploadError('PartialRequestError', 'Partial request')
    return { status: 200, body: { success: true } }
  }

  const statusOf = (video: Video) => {
    const { bytes, size, finished, looks } = video
    const isUploaded = size !== null && bytes.length === size
    const uploading_phase = { status: isUploaded ? 'complete' : 'in_progress', bytes_transfered: bytes.length }
    if (!finished) {
      return {
        video_status: isUploaded ? 'upload_complete' : 'uploading',
        uploading_phase,
        ...phases('not_started', 'not_started'),
      }
    }
    if (typeof looks === 'string') {
      const processing_phase = { status: 'error', errors: [{ code: 1363128, message: looks }] }
      return { video_status: 'error', uploading_phase, ...phases('error', 'not_started'), processing_phase }
    }
    if (looks > 0) {
      video.looks = looks - 1
      const isPublishing = looks === 1
      const rest = isPublishing ? phases('complete', 'in_progress') : phases('in_progress', 'not_started')
      return { video_status: isPublishing ? 'ready' : 'processing', uploading_phase, ...rest }
    }
    return {
      video_status: 'ready',
      uploading_phase,
      ...phases('complete', 'complete'),
      publishing_phase: { status: 'complete', publish_status: 'published', publish_time: '2026-11-22T12:00:00+0000' },
    }
  }

  const get = (video: Video, call: Recorded): Reply => {
    needs('pages_read_engagement')
    const fields = checkFields('video', call)
    const status = statusOf(video)
    const isLive = status.publishing_phase.status === 'complete'
    const postId = isLive && fake.hasPostIds && video.edge !== 'video_stories'
    return {
      status: 200,
      body: {
        id: video.id,
        ...(fields.has('status') && { status }),
        ...(fields.has('post_id') && postId && { post_id: `9${video.id}` }),
        ...(fields.has('permalink_url') && isLive && { permalink_url: `/reel/${video.id}/` }),
      },
    }
  }

  /** https://developers.facebook.com/docs/graph-api/reference/video/ (Updating, Deleting) */
  const change = (video: Video, { method, body }: Recorded): Reply => {
    needs('pages_manage_posts', 'pages_read_engagement')
    if (method === 'DELETE') videos.delete(video.id)
    else {
      // Meta's own client sends the id of the object too.
      const { description, id: _, ...others } = (body ?? {}) as Record<string, string>
      if (Object.keys(others).length > 0) refuse(100, '(#100) Unknown parameter')
      if (description !== video.finished?.description) video.edits++
      video.finished = { ...video.finished, ...(description && { description }) }
    }
    return { status: 200, body: { success: true } }
  }

  const fake: FakeVideos = {
    videos,
    processing: 1,
    chunkBytes: 1_048_576,
    cutOffAfterBytes: null,
    hasPostIds: true,
    reelsLeft: 30,
    hasVideo: (id) => [...videos.keys()].some((videoId) => id === videoId || id === `${pageId}_9${videoId}`),
    liveIds: () =>
      [...videos.values()]
        .filter(({ id, finished, edge }) => finished && edge !== 'video_stories' && !fake.hasFailed(id))
        .map(({ id }) => id),
    isProcessed: (id) => videos.get(id)?.looks === 0,
    hasFailed: (id) => typeof videos.get(id)?.looks === 'string',
    respond(call) {
      if (call.host === 'rupload.facebook.com') return upload(call)
      const [, page, edge] = EDGE.exec(call.path) ?? []
      if (edge && call.method === 'POST') {
        return page === pageId ? post(edge as Video['edge'], call) : graphError(100, 'Unsupported post request')
      }
      const video = videos.get(/^\/v\d+\.0\/(\d+)$/.exec(call.path)?.[1] ?? '')
      if (!video || call.method === 'GET') return video && get(video, call)
      return change(video, call)
    },
  }
  return fake
}

const phases = (processing: string, publishing: string) => ({
  processing_phase: { status: processing },
  publishing_phase: { status: publishing },
})
