import { randomUUID } from 'node:crypto'
import { download } from './adapter-calls.ts'
import type { Teardown } from './database.ts'
import { type Recorded, Refused, type Reply, startFake } from './fake-network.ts'
import { createAuthorization } from './fake-tiktok-oauth.ts'
import { checkChunks, refuse, replyOf, throttled, validate } from './fake-tiktok-requests.ts'
import { recordSecrets } from './log-record.ts'

interface Task {
  publishId: string
  kind: 'video' | 'photo'
  isDraft: boolean
  info: Record<string, unknown>
  /** Of an upload. */
  token: string
  size: number
  chunk: number
  received: Buffer[]
  createdAt: number
  /** Everything is there. */
  isAccepted: boolean
  /** Why it fails. */
  failure: string | undefined
  /** Reads that show it in processing. */
  looks: number
  /** Further reads that show it without public ids. */
  idLooks: number
  postId: string
}

/** A post that somebody can see, or a draft in the inbox. */
export interface TiktokPost {
  id: string
  publishId: string
  kind: Task['kind']
  info: Record<string, unknown>
  /** Of the video, or of all photos. */
  bytes: Buffer
}

const ORIGINS = ['https://open.tiktokapis.com', 'https://open-upload.tiktokapis.com']
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Each path and the scopes that it needs: https://developers.tiktok.com/doc/tiktok-api-scopes */
const SCOPES: Record<string, (body: unknown) => readonly string[]> = {
  '/v2/post/publish/creator_info/query/': () => ['video.publish'],
  '/v2/post/publish/video/init/': () => ['video.publish'],
  '/v2/post/publish/inbox/video/init/': () => ['video.upload'],
  '/v2/post/publish/content/init/': (body) =>
    (body as { post_mode?: string } | undefined)?.post_mode === 'MEDIA_UPLOAD' ? ['video.upload'] : ['video.publish'],
  '/v2/post/publish/status/fetch/': () => [],
  '/v2/user/info/': () => ['user.info.basic'],
}

export type FakeTiktok = Awaited<ReturnType<typeof startTiktok>>

/**
 * TikTok as https://developers.tiktok.com/doc/content-posting-api-get-started, the references beside it and the media
 * transfer guide describe it, with one creator and one app. What no page says is marked.
 */
export async function startTiktok(t: Teardown) {
  let clock = () => new Date()
  const now = () => clock().getTime()
  let ids = 7_301_234_567_890_123_456n
  const user = { openId: '-000ada_L0velace', username: 'ada.l', displayName: 'Ada Lovelace' }
  const tasks = new Map<string, Task>()
  const posts: TiktokPost[] = []
  const drafts: TiktokPost[] = []
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
    /** How addresses of files are read. */
    download,
  }

  const privacyLevels = () =>
    switches.isPrivate
      ? ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
      : ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']

  const ok = (data: object): Reply => ({
    status: 200,
    body: { data, error: { code: 'ok', message: '', log_id: '2022' } },
  })

  const readCreator = (): Reply => {
    if (switches.cap !== null) return replyOf(200, switches.cap)
    return ok({
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
    const level = (body as { post_info?: { privacy_level?: string } }).post_info?.privacy_level
    if (level === undefined) return
    if (!privacyLevels().includes(level))
      refuse(403, 'privacy_level_option_mismatch', 'The privacy level is not offered')
    if (!switches.isAudited && (level !== 'SELF_ONLY' || !switches.isPrivate)) {
      refuse(403, 'unaudited_client_can_only_post_to_private_accounts', 'Please review our integration guidelines')
    }
  }

  function createTask(kind: Task['kind'], isDraft: boolean, info: Task['info'] = {}): Task {
    const token = `chunk-${randomUUID()}`
    recordSecrets('credentials', token)
    const { processing, idLooks } = switches
    const [origin, source] = kind === 'video' ? [isDraft ? 'v_inbox' : 'v_pub', 'file'] : ['p_pub', 'url']
    const task: Task = {
      publishId: `${origin}_${source}~v2-1.${++ids}`,
      kind,
      isDraft,
      info,
      token,
      size: 0,
      chunk: 0,
      received: [],
      createdAt: now(),
      isAccepted: false,
      failure: typeof processing === 'string' ? processing : undefined,
      looks: typeof processing === 'string' ? 1 : processing,
      idLooks,
      postId: String(++ids),
    }
    tasks.set(task.publishId, task)
    return task
  }

  function accept(task: Task): void {
    task.isAccepted = true
    if (task.failure !== undefined) return
    const { postId: id, publishId, kind, info } = task
    const list = task.isDraft ? drafts : posts
    list.push({ id, publishId, kind, info, bytes: Buffer.concat(task.received) })
  }

  const createVideo = (call: Recorded): Reply => {
    checkInit(call)
    type Body = { post_info?: Task['info']; source_info: Parameters<typeof checkChunks>[0] }
    const { post_info: info, source_info: source } = call.body as Body
    checkChunks(source)
    const task = createTask('video', call.path.includes('/inbox/'), info)
    Object.assign(task, { size: source.video_size, chunk: source.chunk_size })
    const query = new URLSearchParams({ upload_id: task.publishId.split('.')[1]!, upload_token: task.token })
    return ok({ publish_id: task.publishId, upload_url: `https://open-upload.tiktokapis.com/video/?${query}` })
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
    const task = createTask('photo', mode === 'MEDIA_UPLOAD', info)
    for (const url of images) {
      const { status, type, bytes } = await switches.download(url)
      if (status !== 200) task.failure ??= 'photo_pull_failed'
      else if (!['image/jpeg', 'image/webp'].includes(type)) task.failure ??= 'file_format_check_failed'
      task.received.push(bytes)
    }
    accept(task)
    return ok({ publish_id: task.publishId })
  }

  /** `PUT` of a chunk. The address is the permission. */
  const receive = ({ query, headers, files }: Recorded): Reply => {
    const task = [...tasks.values()].find(({ token }) => token === query.upload_token)
    if (!task) return { status: 404 }
    if (now() - task.createdAt > HOUR_MS) return { status: 403 }
    const chunk = files[0]?.bytes ?? Buffer.alloc(0)
    const [, from, to, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []).map(Number)
    const isConsistent = from !== undefined && to! - from + 1 === chunk.length && total === task.size
    if (!isConsistent || !headers['content-length'] || !/^video\//.test(headers['content-type'] ?? '')) {
      return { status: 400 }
    }
    const has = bytesOf(task)
    const isLast = has + chunk.length === task.size
    const isInPlace = from === has && (isLast ? chunk.length < 2 * task.chunk : chunk.length === task.chunk)
    if (!isInPlace) return { status: 416, headers: rangeOf(task) }
    task.received.push(chunk)
    if (isLast) accept(task)
    return { status: isLast ? 201 : 206, headers: rangeOf(task) }
  }

  const bytesOf = ({ received }: Task) => received.reduce((sum, { length }) => sum + length, 0)

  const rangeOf = (task: Task) => {
    const end = Math.max(0, bytesOf(task) - (switches.endsWithIndex ? 1 : 0))
    return { 'content-range': `bytes 0-${end}/${task.size}` }
  }

  const readStatus = (call: Recorded): Reply => {
    validate(call.path, call.body)
    const task = tasks.get((call.body as { publish_id: string }).publish_id)
    if (!task) return refuse(400, 'invalid_publish_id', 'The publish_id does not exist')
    if (!task.isAccepted) return ok({ status: 'PROCESSING_UPLOAD', uploaded_bytes: bytesOf(task) })
    if (task.looks > 0) {
      task.looks--
      const processing = { status: 'PROCESSING_UPLOAD', uploaded_bytes: task.size }
      return ok(task.kind === 'video' ? processing : { status: 'PROCESSING_DOWNLOAD', downloaded_bytes: 0 })
    }
    if (task.failure !== undefined) return ok({ status: 'FAILED', fail_reason: task.failure })
    if (task.isDraft) return ok({ status: 'SEND_TO_USER_INBOX' })
    const isPublic = task.info.privacy_level === 'PUBLIC_TO_EVERYONE' && task.idLooks-- <= 0
    const ids = isPublic ? [task.postId] : []
    const shown = switches.hasIdList ? ids : ids[0]
    const reply = ok({ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: shown })
    // Numbers that JavaScript rounds.
    return { ...reply, body: JSON.stringify(reply.body).replace(/"(\d{19})"/g, '$1') }
  }

  const readUser = ({ query }: Recorded, scopes: readonly string[]): Reply => {
    const all: Record<string, string> = {
      open_id: user.openId,
      display_name: user.displayName,
      username: user.username,
    }
    const fields = (query.fields ?? '').split(',')
    if (!fields.every((field) => field in all)) refuse(400, 'invalid_params', 'The fields are invalid')
    if (fields.includes('username') && !scopes.includes('user.info.profile')) refuseScope()
    return ok({ user: Object.fromEntries(fields.map((field) => [field, all[field]])) })
  }

  const refuseScope = () => refuse(401, 'scope_not_authorized', 'The user did not authorize the scope required.')

  const respond = (call: Recorded): Reply | Promise<Reply> => {
    const { method, host, path, body } = call
    if (host === 'open-upload.tiktokapis.com') return method === 'PUT' ? receive(call) : { status: 404 }
    if (`${method} ${path}` === 'POST /v2/oauth/token/') return authorization.token(call)
    if (`${method} ${path}` === 'POST /v2/oauth/revoke/') return authorization.revoke(call)
    const caller = authorization.callerOf(call)
    if (!caller) return refuse(401, 'access_token_invalid', 'The access token is invalid or not found in the request.')
    const scopesOf = SCOPES[path]
    if (!scopesOf || method !== (path === '/v2/user/info/' ? 'GET' : 'POST')) return refuse(404, 'invalid_params')
    if (!scopesOf(body).every((scope) => caller.scopes.includes(scope))) refuseScope()
    switch (path) {
      case '/v2/post/publish/creator_info/query/':
        validate(path, body)
        return readCreator()
      case '/v2/post/publish/content/init/':
        return createPhotos(call)
      case '/v2/post/publish/status/fetch/':
        return readStatus(call)
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
    posts,
    drafts,
    tasks,
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
