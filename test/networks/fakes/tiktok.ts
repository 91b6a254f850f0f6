import { download } from '../../helpers/adapter-calls.ts'
import type { Teardown } from '../../helpers/database.ts'
import { sizeOf } from './files.ts'
import { type Recorded, Refused, type Reply, startFake } from './network.ts'
import { has, type Scene, set } from './scene.ts'
import { createAuthorization } from './tiktok-oauth.ts'
import { checkChunks, okReply, refuse, replyOf, throttled, validate } from './tiktok-requests.ts'
import { createTasks, type Task } from './tiktok-tasks.ts'

const ORIGINS = ['https://open.tiktokapis.com', 'https://open-upload.tiktokapis.com']
const MINUTE_MS = 60_000

/** For each path, the scopes that allow it. One is enough: https://developers.tiktok.com/doc/tiktok-api-scopes */
const SCOPES: Record<string, (body: unknown) => readonly string[]> = {
  '/v2/post/publish/creator_info/query/': () => ['video.publish'],
  '/v2/post/publish/video/init/': () => ['video.publish'],
  '/v2/post/publish/inbox/video/init/': () => ['video.upload'],
  '/v2/post/publish/content/init/': (body) =>
    (body as { post_mode?: string } | undefined)?.post_mode === 'MEDIA_UPLOAD' ? ['video.upload'] : ['video.publish'],
  '/v2/post/publish/status/fetch/': () => ['video.publish', 'video.upload'],
  '/v2/user/info/': () => ['user.info.basic'],
}

type FakeTiktok = Awaited<ReturnType<typeof startTiktok>>

/**
 * TikTok as https://developers.tiktok.com/doc/content-posting-api-get-started, the references beside it and the media
 * transfer guide describe it, with one creator and one app. Behaviour that no page describes is marked.
 */
export async function startTiktok(t: Teardown) {
  let clock = () => new Date()
  const now = () => clock().getTime()
  const user = { openId: '-000ada_L0velace', username: 'ada.l', displayName: 'Ada Lovelace' }
  const inits: number[] = []
  const authorization = createAuthorization(user.openId, () => clock())

  const switches = {
    /** How often a task is shown in processing; a text is the reason of its failure. */
    processing: 0 as number | string,
    /** How often a public post is shown without its id. */
    idLooks: 0,
    /** Posts that may be started in a minute. */
    initsMax: 6,
    isAudited: true,
    isPrivate: false,
    /** An error of creator_info, with status 200. */
    cap: null as string | null,
    /** The prefixes of addresses that the app has verified. */
    prefixes: ['https://postroom.example/'],
    maxSeconds: 600,
    /** Whether a range in a response ends with the index of the last byte. The page does not say. */
    endsWithIndex: false,
    /** Whether ids are a list, as the page says, or a single value. */
    hasIdList: true,
    /** Whether the status of an upload has the number of its bytes. The page does not say that it always has. */
    tellsBytes: true,
    /** Drafts that may wait in the inbox. */
    draftsMax: 5,
    /** How addresses of files are read. */
    download,
  }

  const tasks = createTasks(now, switches)

  const privacyLevels = () =>
    switches.isPrivate
      ? ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
      : ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']

  const readCreator = (): Reply => {
    if (switches.cap !== null) return replyOf(200, switches.cap)
    return okReply({
      creator_avatar_url: 'https://lf16-tt4d.tiktokcdn.com/obj/tiktok-open-platform/8d5740ac3844be417beeacd0df75aef1',
      creator_username: user.username,
      creator_nickname: user.displayName,
      privacy_level_options: privacyLevels(),
      comment_disabled: false,
      duet_disabled: switches.isPrivate,
      stitch_disabled: true,
      max_video_post_duration_sec: switches.maxSeconds,
    })
  }

  function checkInit({ path, body }: Recorded): void {
    while (inits[0] !== undefined && inits[0] <= now() - MINUTE_MS) inits.shift()
    if (inits.length >= switches.initsMax) throw new Refused(throttled())
    inits.push(now())
    validate(path, body)
    const isDraft = path.includes('/inbox/') || (body as { post_mode?: string }).post_mode === 'MEDIA_UPLOAD'
    if (isDraft && tasks.drafts.length >= switches.draftsMax) {
      refuse(403, 'spam_risk_too_many_pending_share', 'There may be at most 5 pending shares within any 24-hour period')
    }
    const level = (body as { post_info?: { privacy_level?: string } }).post_info?.privacy_level
    if (level === undefined) return
    if (!privacyLevels().includes(level))
      refuse(403, 'privacy_level_option_mismatch', 'The privacy level is not offered')
    if (!switches.isAudited && (level !== 'SELF_ONLY' || !switches.isPrivate)) {
      refuse(403, 'unaudited_client_can_only_post_to_private_accounts', 'Please review our integration guidelines')
    }
  }

  const createVideo = (call: Recorded): Reply => {
    checkInit(call)
    type Body = { post_info?: Task['info']; source_info: Parameters<typeof checkChunks>[0] }
    const { post_info: info, source_info: source } = call.body as Body
    checkChunks(source)
    const task = tasks.create('video', call.path.includes('/inbox/'), info)
    Object.assign(task, { size: source.video_size, chunk: source.chunk_size })
    const query = new URLSearchParams({ upload_id: task.publishId.split('.')[1]!, upload_token: task.token })
    return okReply({ publish_id: task.publishId, upload_url: `https://open-upload.tiktokapis.com/video/?${query}` })
  }

  const createPhotos = async (call: Recorded): Promise<Reply> => {
    checkInit(call)
    type Body = {
      post_mode: string
      post_info: Task['info']
      source_info: { photo_images: string[]; photo_cover_index: number }
    }
    const { post_mode: mode, post_info: info, source_info: source } = call.body as Body
    const { photo_images: images, photo_cover_index: cover } = source
    if (cover >= images.length) refuse(400, 'invalid_param', 'The cover index is invalid')
    if (!images.every((url) => switches.prefixes.some((prefix) => url.startsWith(prefix)))) {
      refuse(403, 'url_ownership_unverified', 'Please review our URL ownership verification rules')
    }
    const task = tasks.create('photo', mode === 'MEDIA_UPLOAD', info)
    for (const url of images) {
      const { status, type, bytes } = await switches.download(url)
      if (status !== 200) task.failure ??= 'photo_pull_failed'
      else if (!['image/jpeg', 'image/webp'].includes(type)) task.failure ??= 'file_format_check_failed'
      const size = sizeOf(bytes)
      // https://github.com/gitroomhq/postiz-app/pull/1875
      if (size && Math.min(size.width, size.height) > 1080) task.failure ??= 'picture_size_check_failed'
      task.received.push(bytes)
    }
    tasks.accept(task)
    return okReply({ publish_id: task.publishId })
  }

  const readUser = ({ query }: Recorded, scopes: readonly string[]): Reply => {
    const all: Record<string, string> = {
      open_id: user.openId,
      display_name: user.displayName,
      avatar_url: 'https://pictures.invalid/ada.jpeg',
      username: user.username,
    }
    const fields = (query.fields ?? '').split(',')
    if (!fields.every((field) => field in all)) refuse(400, 'invalid_params', 'The fields are invalid')
    if (fields.includes('username') && !scopes.includes('user.info.profile')) refuseScope()
    return okReply({ user: Object.fromEntries(fields.map((field) => [field, all[field]])) })
  }

  const refuseScope = () => refuse(401, 'scope_not_authorized', 'The user did not authorize the scope required.')

  const respond = (call: Recorded): Reply | Promise<Reply> => {
    const { method, host, path, body } = call
    if (host === 'open-upload.tiktokapis.com') return method === 'PUT' ? tasks.receive(call) : { status: 404 }
    if (`${method} ${path}` === 'POST /v2/oauth/token/') return authorization.token(call)
    if (`${method} ${path}` === 'POST /v2/oauth/revoke/') return authorization.revoke(call)
    const caller = authorization.callerOf(call)
    if (!caller) return refuse(401, 'access_token_invalid', 'The access token is invalid or not found in the request.')
    const scopesOf = SCOPES[path]
    if (!scopesOf || method !== (path === '/v2/user/info/' ? 'GET' : 'POST')) return refuse(404, 'invalid_params')
    if (!scopesOf(body).some((scope) => caller.scopes.includes(scope))) refuseScope()
    switch (path) {
      case '/v2/post/publish/creator_info/query/':
        validate(path, body)
        return readCreator()
      case '/v2/post/publish/content/init/':
        return createPhotos(call)
      case '/v2/post/publish/status/fetch/':
        return tasks.readStatus(call)
      case '/v2/user/info/':
        return readUser(call, caller.scopes)
      default:
        return createVideo(call)
    }
  }

  const { accessToken, refreshToken, grant } = authorization.grant()
  const fake = await startFake(t, ORIGINS, respond)
  return Object.assign(fake, {
    user,
    posts: tasks.posts,
    drafts: tasks.drafts,
    tasks: tasks.tasks,
    authorization,
    switches,
    grant,
    credentials: { accessToken, refreshToken, openId: user.openId, scopes: grant.scopes.join(' ') },
    /** Sets the clock of TikTok. */
    setTime(time: Date) {
      clock = () => time
    },
  })
}

export const tiktokScene: Scene<FakeTiktok> = {
  start: startTiktok,
  origins: ['https://open.tiktokapis.com', 'https://open-upload.tiktokapis.com'],
  account: (tiktok) => ({ username: tiktok.user.username, credentials: tiktok.credentials }),
  countVisible: (tiktok) => tiktok.posts.length,
  fields: { privacyLevel: 'PUBLIC_TO_EVERYONE' },
  knownFields: { privacyLevel: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'] },
  controls: (tiktok) => ({
    limited: (seconds) => ({ ...throttled(), headers: { 'retry-after': String(seconds) } }),
    unauthorized: [401],
    secret: tiktok.credentials.accessToken,
    revokeToken: () => set(tiktok.grant, { isRevoked: true }),
    expireToken: () => set(tiktok.grant, { isRevoked: true }),
    // The address of an upload is the permission.
    needsToken: (kind) => !has('video')(kind),
    showLate: () => set(tiktok.switches, { idLooks: 2 }),
    processes: () => true,
    process: (looks) => set(tiktok.switches, { processing: looks === 'fails' ? 'file_format_check_failed' : looks }),
  }),
}
