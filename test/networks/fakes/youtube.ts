import type { Teardown } from '../../helpers/database.ts'
import { createGoogleAuthorization, GOOGLE_OAUTH } from './google-oauth.ts'
import { type Reply, startFake } from './network.ts'
import { has, LATE_MS, type Scene, set } from './scene.ts'
import { serveComments } from './youtube-comments.ts'
import { servePlaylists } from './youtube-playlists.ts'
import { refuse, throttled } from './youtube-replies.ts'
import { serveUploads } from './youtube-upload.ts'
import { createState, type Methods, serveVideos } from './youtube-videos.ts'

const API = 'https://www.googleapis.com'
/** A server of images, as the author of a post may name. */
const IMAGES = 'https://images.example'

export const FORCE_SSL = 'https://www.googleapis.com/auth/youtube.force-ssl'
const UPLOAD = 'https://www.googleapis.com/auth/youtube.upload'
const READONLY = 'https://www.googleapis.com/auth/youtube.readonly'

/**
 * For each method, the scopes that allow it. One is enough: the pages under
 * https://developers.google.com/youtube/v3/docs
 */
const SCOPES: Record<string, readonly string[]> = {
  'GET /youtube/v3/channels': [READONLY, FORCE_SSL],
  'GET /youtube/v3/videos': [READONLY, FORCE_SSL],
  'PUT /youtube/v3/videos': [FORCE_SSL],
  'DELETE /youtube/v3/videos': [FORCE_SSL],
  'GET /youtube/v3/comments': [FORCE_SSL],
  'PUT /youtube/v3/comments': [FORCE_SSL],
  'DELETE /youtube/v3/comments': [FORCE_SSL],
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

export type FakeYoutube = Awaited<ReturnType<typeof startYoutube>>

/**
 * The YouTube Data API v3 as https://developers.google.com/youtube/v3/docs describes it, with one channel and its
 * playlist, and Google's authorization server.
 */
export async function startYoutube(t: Teardown) {
  let clock = () => new Date()
  const google = createGoogleAuthorization([FORCE_SSL, UPLOAD, READONLY], () => clock())
  const state = createState(() => clock().getTime())
  const { channel, videos, switches, addVideo } = state
  const { playlists, items, methods: playlistMethods } = servePlaylists(state)
  const { comments, methods: commentMethods } = serveComments(state)
  const uploading = serveUploads(state)
  const methods: Methods = {
    ...serveVideos(state),
    ...playlistMethods,
    ...commentMethods,
    'POST /upload/youtube/v3/videos': uploading.begin,
    'PUT /upload/youtube/v3/videos': uploading.receive,
  }
  /** By path. */
  const images = new Map<string, { type: string; bytes: Buffer }>()

  const fake = await startFake(t, [API, GOOGLE_OAUTH, IMAGES], (call) => {
    if (call.host === new URL(GOOGLE_OAUTH).host) return google.respond(call) ?? { status: 404 }
    if (call.host === new URL(IMAGES).host) return imageOf(call.path)
    const name = `${call.method} ${call.path}`
    const scopes = SCOPES[name]
    const method = methods[name]
    if (!scopes || !method) return { status: 404, body: 'Not Found' }
    const caller = google.callerOf(call)
    if (!caller) {
      const authenticate = { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' }
      refuse(401, 'authError', 'Request had invalid authentication credentials.', authenticate, 'global')
    }
    if (!caller!.scopes.some((scope) => scopes.includes(scope))) {
      refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.', {}, 'global')
    }
    const needsPart =
      call.method !== 'DELETE' &&
      call.path !== '/upload/youtube/v3/thumbnails/set' &&
      call.query.upload_id === undefined
    if (!call.query.part && needsPart) refuse(400, 'missingRequiredParameter', "Required field 'part' is missing.")
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
  access.expiresAt = state.now() + 7 * 86_400_000
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
    addVideo,
    /** Ids of what viewers see: videos and comments. */
    visibleIds: () =>
      [...videos.filter((video) => typeof video.processing === 'number'), ...comments].map(({ id }) => id),
    setTime(time: Date) {
      clock = () => time
    },
  })
}

export const youtubeScene: Scene<FakeYoutube> = {
  start: startYoutube,
  origins: ['https://www.googleapis.com', 'https://images.example'],
  account: (youtube) => ({ username: '@lighthouses', credentials: youtube.credentials }),
  countVisible: (youtube) =>
    youtube.visibleIds().length + youtube.items.length + youtube.videos.filter(({ thumbnail }) => thumbnail).length,
  published: ({ videos, comments }) => {
    const findVideo = (id: string) => videos.find((video) => video.id === id)
    const findComment = (id: string) => comments.find((comment) => comment.id === id)
    return {
      textOf: (id) => (findVideo(id) ? (findVideo(id)!.snippet.description ?? '') : findComment(id)?.text),
      editsOf: (id) => (findVideo(id) ?? findComment(id))?.edits ?? 0,
      remove: (id) => void videos.splice(videos.indexOf(findVideo(id)!), 1),
    }
  },
  knownFields: { playlistId: ['PLlighthouses1'], thumbnailUrl: ['https://images.example/a.jpg'], categoryId: ['22'] },
  controls: (youtube) => ({
    limited: throttled,
    unauthorized: [401],
    secret: youtube.credentials.accessToken,
    // An upload is incomplete.
    notRedirect: 308,
    revokeToken: () => set(youtube.grant, { isRevoked: true }),
    expireToken: () => set(youtube.access, { expiresAt: 0 }),
    showLate: () => set(youtube.switches, { showsAfterMs: LATE_MS }),
    processes: has('video'),
    process: (looks) => set(youtube.switches, { processing: looks === 'fails' ? 'codec' : looks }),
  }),
}
