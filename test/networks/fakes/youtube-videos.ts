import { durationOf } from './files.ts'
import { type Recorded, Refused, type Reply } from './network.ts'
import { listReply, refuse, uploadsUsedUp, wholeList } from './youtube-replies.ts'

export interface Video {
  id: string
  snippet: { title: string; description?: string; tags?: string[]; categoryId?: string; defaultLanguage?: string }
  status: { privacyStatus: string; selfDeclaredMadeForKids?: boolean } & Record<string, unknown>
  content: Buffer
  /** Milliseconds since 1970. */
  publishedAt: number
  /** How many looks it is still being processed for; a text is the reason why it fails. */
  processing: number | string
  thumbnail: { type: string; bytes: Buffer } | null
  edits: number
}

/** The methods of the API by name, such as `GET /youtube/v3/videos`. `parts` is the parameter `part`. */
export type Methods = Record<string, (call: Recorded, parts: string[]) => Reply>

/** The state that the parts of the fake share. */
export type YoutubeState = ReturnType<typeof createState>

/** One channel, and its videos. `now` is in milliseconds since 1970. */
export function createState(now: () => number) {
  let count = 0
  const nextId = () => `${(++count).toString(36).padStart(3, '0')}dQw4w9Wg`
  const channel = {
    id: 'UC_x5XG1OV2P6uZZ5FSM9Ttw',
    title: 'Lighthouses',
    customUrl: '@lighthouses',
    exists: true,
    /** https://developers.google.com/youtube/v3/docs/channels#status.longUploadsStatus */
    longUploadsStatus: 'allowed',
  }
  const videos: Video[] = []
  const switches = {
    /** Calls of videos.insert that are left today. */
    inserts: 100,
    /** The processing of new videos. */
    processing: 0 as number | string,
    /** How long a new comment, playlist item or upload is missing from lists. */
    showsAfterMs: 0,
    hasCustomThumbnails: true,
  }
  const isTooLong = ({ content, processing }: Video) =>
    (typeof processing === 'string' || processing <= 0) &&
    channel.longUploadsStatus !== 'allowed' &&
    (durationOf(content) ?? 0) > 900
  return {
    now,
    nextId,
    channel,
    /** The playlist of all uploads. */
    uploads: channel.id.replace('UC', 'UU'),
    videos,
    switches,
    isShown: ({ publishedAt }: { publishedAt: number }) => publishedAt <= now() - switches.showsAfterMs,
    findVideo: (id: unknown): Video =>
      videos.find((video) => video.id === id) ?? refuse(404, 'videoNotFound', 'The video could not be found.'),
    /** Counts a call of videos.insert. */
    spendInsert() {
      if (switches.inserts-- <= 0) throw new Refused(uploadsUsedUp())
    },
    addVideo(resource: Pick<Video, 'snippet' | 'status'>, content: Buffer): Video {
      const { processing } = switches
      const video: Video = {
        id: nextId(),
        ...resource,
        content,
        publishedAt: now(),
        processing,
        thumbnail: null,
        edits: 0,
      }
      videos.push(video)
      return video
    },
    resourceOf: (video: Video, parts: string[]) => ({
      kind: 'youtube#video',
      etag: 'etag',
      id: video.id,
      ...(parts.includes('snippet') && {
        snippet: {
          ...video.snippet,
          description: video.snippet.description ?? '',
          channelId: channel.id,
          publishedAt: new Date(video.publishedAt).toISOString(),
        },
      }),
      ...(parts.includes('status') && {
        status: { ...video.status, ...statusOf(video), ...(isTooLong(video) && TOO_LONG) },
      }),
      ...(parts.includes('fileDetails') && { fileDetails: { fileSize: String(video.content.length) } }),
    }),
  }
}

/** https://developers.google.com/youtube/v3/docs/videos#status.rejectionReason */
const TOO_LONG = { uploadStatus: 'rejected', rejectionReason: 'length' }

/** https://developers.google.com/youtube/v3/docs/videos#status.uploadStatus */
function statusOf({ processing }: Video) {
  if (typeof processing === 'string') return { uploadStatus: 'failed', failureReason: processing }
  return { uploadStatus: processing > 0 ? 'uploaded' : 'processed' }
}

const CATEGORIES = [
  ['1', 'Film & Animation', true],
  ['22', 'People & Blogs', true],
  ['18', 'Short Movies', false],
] as const

/** The methods of channels, videos, categories and thumbnails. */
export function serveVideos({ channel, uploads, videos, switches, findVideo, resourceOf }: YoutubeState): Methods {
  return {
    'GET /youtube/v3/channels': ({ query }, parts) => {
      if (query.mine !== 'true') refuse(400, 'missingRequiredParameter', 'No filter selected.')
      const { id, title, customUrl, longUploadsStatus } = channel
      const status = parts.includes('status') && { status: { privacyStatus: 'public', longUploadsStatus } }
      const contentDetails = { relatedPlaylists: { likes: '', uploads } }
      const found = {
        kind: 'youtube#channel',
        id,
        snippet: { title, customUrl, thumbnails: {} },
        contentDetails,
        ...status,
      }
      return listReply('channel', channel.exists ? [found] : [])
    },
    'GET /youtube/v3/videos': ({ query }, parts) => {
      const ids = (query.id ?? '').split(',')
      if (ids.length > 50) refuse(400, 'invalidFilters', 'Too many ids.')
      const found = videos.filter(({ id }) => ids.includes(id))
      for (const video of parts.includes('status') ? found : []) {
        if (typeof video.processing === 'number') video.processing--
      }
      // Those that are asked for by their ids.
      return wholeList(
        'video',
        found.map((video) => resourceOf(video, parts)),
      )
    },
    // https://developers.google.com/youtube/v3/docs/videos/update: the whole snippet is replaced, except its language.
    'PUT /youtube/v3/videos': ({ body }, parts) => {
      const { id, snippet } = body as { id?: string; snippet?: Partial<Video['snippet']> }
      const video = findVideo(id)
      if (parts.join() !== 'snippet' || !snippet) return refuse(400, 'badRequest', 'The snippet is missing.')
      const { title = '', categoryId } = snippet
      if (!title.trim() || title.length > 100)
        refuse(400, 'invalidTitle', 'The request metadata specifies an invalid title.')
      if (Buffer.byteLength(snippet.description ?? '') > 5000) {
        refuse(400, 'invalidDescription', 'The request metadata specifies an invalid video description.')
      }
      if (!CATEGORIES.some(([known]) => known === categoryId)) {
        refuse(400, 'invalidCategoryId', 'The snippet.categoryId property specifies an invalid category ID.')
      }
      const { publishedAt: _, channelId: __, ...given } = snippet as Video['snippet'] & Record<string, unknown>
      Object.assign(video, { snippet: { ...given, title: title.trim() }, edits: video.edits + 1 })
      return { status: 200, body: resourceOf(video, parts) }
    },
    // https://developers.google.com/youtube/v3/docs/videos/delete
    'DELETE /youtube/v3/videos': ({ query }) => {
      videos.splice(videos.indexOf(findVideo(query.id)), 1)
      return { status: 204 }
    },
    'GET /youtube/v3/videoCategories': ({ query }) => {
      if (!/^[A-Z]{2}$/.test(query.regionCode ?? '')) refuse(400, 'invalidFilters', 'No filter selected.')
      return wholeList(
        'videoCategory',
        CATEGORIES.map(([id, title, assignable]) => ({ id, snippet: { title, assignable } })),
      )
    },
    'POST /upload/youtube/v3/thumbnails/set': ({ query, files: [file] }) => {
      if (!file) return refuse(400, 'mediaBodyRequired', 'The request does not include the image content.')
      if (!/^image\/(?:jpeg|png)$/.test(file.type)) refuse(400, 'invalidImage', 'The image is invalid.')
      if (!switches.hasCustomThumbnails) {
        const words = "The authenticated user doesn't have permissions to upload and set custom video thumbnails."
        refuse(403, 'forbidden', words)
      }
      const video = findVideo(query.videoId)
      if (statusOf(video).uploadStatus !== 'processed') refuse(404, 'videoNotFound', 'The video is being processed.')
      video.thumbnail = { type: file.type, bytes: file.bytes }
      return { status: 200, body: { kind: 'youtube#thumbnailSetResponse', etag: 'etag', items: [{ default: {} }] } }
    },
  }
}
