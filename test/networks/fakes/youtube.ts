import type { Teardown } from '../../helpers/database.ts'
import { createGoogleAuthorization, GOOGLE_OAUTH } from './google-oauth.ts'
import { type Recorded, Refused, type Reply, startFake } from './network.ts'
import { serveUploads } from './youtube-upload.ts'

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
}

export interface YoutubeComment {
  id: string
  videoId: string
  text: string
  publishedAt: number
}

export interface PlaylistItem {
  id: string
  playlistId: string
  videoId: string
  publishedAt: number
}

/** What the parts of the fake share. */
export interface YoutubeState {
  nextId(): string
  addVideo(resource: Pick<Video, 'snippet' | 'status'>, content: Buffer): Video
  resourceOf(video: Video, parts: string[]): object
  /** Counts a call of videos.insert. */
  spendInsert(): void
}

const API = 'https://www.googleapis.com'
/** A server of images, as the author of a post may name. */
const IMAGES = 'https://images.example'

export const FORCE_SSL = 'https://www.googleapis.com/auth/youtube.force-ssl'
const UPLOAD = 'https://www.googleapis.com/auth/youtube.upload'
const READONLY = 'https://www.googleapis.com/auth/youtube.readonly'

/** The scopes of which each method needs one: the pages of the methods under https://developers.google.com/youtube/v3/docs */
const SCOPES: Record<string, readonly string[]> = {
  'GET /youtube/v3/channels': [READONLY, FORCE_SSL],
  'GET /youtube/v3/videos': [READONLY, FORCE_SSL],
  'GET /youtube/v3/playlists': [READONLY, FORCE_SSL],
  'GET /youtube/v3/videoCategories': [READONLY, FORCE_SSL],
  'GET /youtube/v3/playlistItems': [READONLY, FORCE_SSL],
  'POST /youtube/v3/playlistItems': [FORCE_SSL],
  'GET /youtube/v3/commentThreads': [FORCE_SSL],
  'POST /youtube/v3/commentThreads': [FORCE_SSL],
  'POST /upload/youtube/v3/videos': [UPLOAD, FORCE_SSL],
  'PUT /upload/youtube/v3/videos': [UPLOAD, FORCE_SSL],
  'POST /upload/youtube/v3/thumbnails/set': [UPLOAD, FORCE_SSL],
}

/** https://developers.google.com/youtube/v3/docs/errors */
export function refuse(status: number, reason: string, message: string, headers: Record<string, string> = {}): never {
  throw new Refused(errorReply(status, reason, message, headers))
}

export const errorReply = (status: number, reason: string, message: string, headers = {}): Reply => ({
  status,
  headers,
  body: { error: { code: status, message, errors: [{ domain: 'youtube', reason, message }] } },
})

/** The quota of the project for the day is used up. */
export const quotaExceeded = () =>
  errorReply(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
  )

/** Too many calls within a short time. */
export const throttled = (seconds: number): Reply =>
  errorReply(403, 'rateLimitExceeded', 'Rate Limit Exceeded', { 'retry-after': String(seconds) })

export type FakeYoutube = Awaited<ReturnType<typeof startYoutube>>

/**
 * The YouTube Data API v3 as https://developers.google.com/youtube/v3/docs describes it, with one channel and its playlist,
 * and Google's authorization server.
 */
export async function startYoutube(t: Teardown) {
  let clock = () => new Date()
  const now = () => clock().getTime()
  let count = 0
  const nextId = () => `${(++count).toString(36).padStart(3, '0')}dQw4w9Wg`
  const google = createGoogleAuthorization([FORCE_SSL, UPLOAD, READONLY], () => clock())
  const channel = { id: 'UC_x5XG1OV2P6uZZ5FSM9Ttw', title: 'Lighthouses', customUrl: '@lighthouses', exists: true }
  const uploads = channel.id.replace('UC', 'UU')
  const playlists = new Map([['PLlighthouses1', 'Lighthouses at dusk']])
  const videos: Video[] = []
  const comments: YoutubeComment[] = []
  const items: PlaylistItem[] = []
  /** By path. */
  const images = new Map<string, { type: string; bytes: Buffer }>()
  const switches = {
    /** Calls of videos.insert that are left today. */
    inserts: 100,
    /** What new videos get. */
    processing: 0 as number | string,
    /** How long a new comment, playlist item or upload is missing from lists. */
    showsAfterMs: 0,
    hasCustomThumbnails: true,
  }

  const isShown = ({ publishedAt }: { publishedAt: number }) => publishedAt <= now() - switches.showsAfterMs
  const state: YoutubeState = {
    nextId,
    spendInsert() {
      if (switches.inserts-- <= 0) throw new Refused(quotaExceeded())
    },
    addVideo(resource, content) {
      const { processing } = switches
      const video: Video = { id: nextId(), ...resource, content, publishedAt: now(), processing, thumbnail: null }
      videos.push(video)
      return video
    },
    resourceOf: (video, parts) => ({
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
        status: { ...video.status, ...statusOf(video) },
      }),
      ...(parts.includes('fileDetails') && { fileDetails: { fileSize: String(video.content.length) } }),
    }),
  }
  const uploading = serveUploads(state)
  const list = (kind: string, found: object[]): Reply => ({
    status: 200,
    body: {
      kind: `youtube#${kind}ListResponse`,
      etag: 'etag',
      // An empty list of channels has no items.
      ...((found.length > 0 || kind !== 'channel') && { items: found }),
      pageInfo: { totalResults: found.length, resultsPerPage: 5 },
    },
  })
  const videoOf = (id: unknown): Video =>
    videos.find((video) => video.id === id) ?? refuse(404, 'videoNotFound', 'The video could not be found.')

  const METHODS: Record<string, (call: Recorded, parts: string[]) => Reply> = {
    'GET /youtube/v3/channels': ({ query }) => {
      if (query.mine !== 'true') refuse(400, 'missingRequiredParameter', 'No filter selected.')
      const { id, title, customUrl } = channel
      const contentDetails = { relatedPlaylists: { likes: '', uploads } }
      const found = { kind: 'youtube#channel', id, snippet: { title, customUrl, thumbnails: {} }, contentDetails }
      return list('channel', channel.exists ? [found] : [])
    },
    'GET /youtube/v3/videos': ({ query }, parts) => {
      const ids = (query.id ?? '').split(',')
      if (ids.length > 50) refuse(400, 'invalidFilters', 'Too many ids.')
      const found = videos.filter(({ id }) => ids.includes(id))
      for (const video of parts.includes('status') ? found : []) {
        if (typeof video.processing === 'number') video.processing--
      }
      return list(
        'video',
        found.map((video) => state.resourceOf(video, parts)),
      )
    },
    'GET /youtube/v3/playlists': () =>
      list(
        'playlist',
        [...playlists].map(([id, title]) => ({
          kind: 'youtube#playlist',
          id,
          snippet: { title },
          status: { privacyStatus: 'public' },
        })),
      ),
    'GET /youtube/v3/videoCategories': ({ query }) => {
      if (!/^[A-Z]{2}$/.test(query.regionCode ?? '')) refuse(400, 'invalidFilters', 'No filter selected.')
      const categories = [
        ['1', 'Film & Animation', true],
        ['22', 'People & Blogs', true],
        ['18', 'Short Movies', false],
      ] as const
      return list(
        'videoCategory',
        categories.map(([id, title, assignable]) => ({ id, snippet: { title, assignable } })),
      )
    },
    'GET /youtube/v3/playlistItems': ({ query: { playlistId = '', videoId } }) => {
      const found =
        playlistId === uploads
          ? videos
              .toReversed()
              .filter(isShown)
              .map(({ id }) => ({ id: `UU${id}`, videoId: id }))
          : items.filter((item) => item.playlistId === requirePlaylist(playlistId) && isShown(item))
      return list(
        'playlistItem',
        found
          .filter((item) => videoId === undefined || item.videoId === videoId)
          .map((item) => ({ kind: 'youtube#playlistItem', id: item.id, contentDetails: { videoId: item.videoId } })),
      )
    },
    'POST /youtube/v3/playlistItems': ({ body }) => {
      const { playlistId = '', resourceId } = ((body ?? {}) as Partial<PlaylistItemBody>).snippet ?? {}
      if (resourceId?.kind !== 'youtube#video') refuse(400, 'invalidResourceType', 'The type is not supported.')
      requirePlaylist(playlistId)
      const item: PlaylistItem = {
        id: `UEx${nextId()}`,
        playlistId,
        videoId: videoOf(resourceId?.videoId).id,
        publishedAt: now(),
      }
      // The same video a second time makes a second item.
      items.push(item)
      const snippet = { playlistId, resourceId, position: items.length - 1 }
      return { status: 200, body: { kind: 'youtube#playlistItem', etag: 'etag', id: item.id, snippet } }
    },
    'GET /youtube/v3/commentThreads': ({ query: { videoId = '' } }) =>
      list(
        'commentThread',
        comments
          .filter((comment) => comment.videoId === videoOf(videoId).id && isShown(comment))
          .toReversed()
          .map(threadOf),
      ),
    'POST /youtube/v3/commentThreads': ({ body }) => {
      const { channelId, videoId, topLevelComment } = ((body ?? {}) as Partial<ThreadBody>).snippet ?? {}
      if (!channelId && !videoId) refuse(400, 'channelOrVideoIdMissing', 'channelId or videoId is required.')
      const text = topLevelComment?.snippet?.textOriginal ?? ''
      if (text.trim() === '') refuse(400, 'commentTextRequired', 'The comment has no text.')
      if ([...text].length > 10_000) refuse(400, 'commentTextTooLong', 'The comment is too long.')
      const { id, status } = videoOf(videoId)
      if (status.selfDeclaredMadeForKids) {
        refuse(403, 'commentsDisabled', 'The video identified by the videoId parameter has disabled comments.')
      }
      const comment: YoutubeComment = { id: `Ugz${nextId()}`, videoId: id, text, publishedAt: now() }
      comments.push(comment)
      return { status: 200, body: threadOf(comment) }
    },
    'POST /upload/youtube/v3/thumbnails/set': ({ query, files }) => {
      const [file] = files
      if (!file) return refuse(400, 'mediaBodyRequired', 'The request does not include the image content.')
      if (!/^image\/(?:jpeg|png)$/.test(file.type)) refuse(400, 'invalidImage', 'The image is invalid.')
      if (!switches.hasCustomThumbnails) {
        const words = "The authenticated user doesn't have permissions to upload and set custom video thumbnails."
        refuse(403, 'forbidden', words)
      }
      const video = videoOf(query.videoId)
      if (statusOf(video).uploadStatus !== 'processed') refuse(404, 'videoNotFound', 'The video is being processed.')
      video.thumbnail = { type: file.type, bytes: file.bytes }
      return { status: 200, body: { kind: 'youtube#thumbnailSetResponse', etag: 'etag', items: [{ default: {} }] } }
    },
  }

  const requirePlaylist = (id: string): string =>
    playlists.has(id) ? id : refuse(404, 'playlistNotFound', 'The playlist could not be found.')

  const threadOf = ({ id, videoId, text, publishedAt }: YoutubeComment) => ({
    kind: 'youtube#commentThread',
    etag: 'etag',
    id,
    snippet: {
      channelId: channel.id,
      videoId,
      topLevelComment: {
        kind: 'youtube#comment',
        id,
        snippet: {
          textDisplay: text,
          textOriginal: text,
          authorChannelId: { value: channel.id },
          publishedAt: new Date(publishedAt).toISOString(),
        },
      },
    },
  })

  const fake = await startFake(t, [API, GOOGLE_OAUTH, IMAGES], (call) => {
    if (call.host === new URL(GOOGLE_OAUTH).host) return google.respond(call) ?? { status: 404 }
    if (call.host === new URL(IMAGES).host) return imageOf(call.path)
    const name = `${call.method} ${call.path}`
    const [scopes, method] = [SCOPES[name], METHODS[name]]
    if (!scopes) return { status: 404, body: 'Not Found' }
    const caller = google.callerOf(call)
    if (!caller) {
      const authenticate = { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' }
      refuse(401, 'authError', 'Request had invalid authentication credentials.', authenticate)
    }
    if (!caller!.scopes.some((scope) => scopes.includes(scope))) {
      refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
    }
    if (!method) return uploading.respond(call) ?? { status: 404, body: 'Not Found' }
    const isThumbnail = call.path.endsWith('/set')
    if (!call.query.part && !isThumbnail) refuse(400, 'missingRequiredParameter', "Required field 'part' is missing.")
    return method(call, (call.query.part ?? '').split(','))
  })

  const imageOf = (path: string): Reply => {
    const image = images.get(path)
    if (!image) return { status: 404, body: 'Not Found' }
    const headers = { 'content-type': image.type, 'content-length': String(image.bytes.length) }
    return { status: 200, headers, body: image.bytes }
  }

  const { accessToken, refreshToken, access, grant } = google.grant('the-user', [FORCE_SSL])
  // Longer than the hour of Google, because tests advance the time.
  access.expiresAt = now() + 7 * 86_400_000
  return Object.assign(fake, {
    google,
    channel,
    playlists,
    videos,
    comments,
    items,
    images,
    switches,
    sessions: uploading.sessions,
    uploading: uploading.switches,
    grant,
    access,
    credentials: { accessToken, refreshToken, channelId: channel.id, clientId: google.app.clientId },
    /** Ids of what viewers see: videos and comments. */
    addVideo: state.addVideo,
    visibleIds: () =>
      [...videos.filter((video) => typeof video.processing === 'number'), ...comments].map(({ id }) => id),
    setTime(time: Date) {
      clock = () => time
    },
  })
}

interface PlaylistItemBody {
  snippet: { playlistId: string; resourceId: { kind: string; videoId: string } }
}

interface ThreadBody {
  snippet: { channelId: string; videoId: string; topLevelComment: { snippet?: { textOriginal?: string } } }
}

/** https://developers.google.com/youtube/v3/docs/videos#status.uploadStatus */
function statusOf({ processing }: Video) {
  if (typeof processing === 'string') return { uploadStatus: 'failed', failureReason: processing }
  return { uploadStatus: processing > 0 ? 'uploaded' : 'processed' }
}
