import { randomUUID } from 'node:crypto'
import { recordSecrets } from '../../helpers/log-record.ts'
import { hasOtherVideo } from './files.ts'
import type { Recorded, Reply } from './network.ts'
import { okReply, refuse, validate } from './tiktok-requests.ts'

export interface Task {
  publishId: string
  kind: 'video' | 'photo'
  isDraft: boolean
  info: Record<string, unknown>
  /** The token of an upload. */
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
interface TiktokPost {
  id: string
  publishId: string
  kind: Task['kind']
  info: Record<string, unknown>
  /** The bytes of the video, or of all photos. */
  bytes: Buffer
}

interface Switches {
  processing: number | string
  idLooks: number
  endsWithIndex: boolean
  hasIdList: boolean
  tellsBytes: boolean
}

const HOUR_MS = 3_600_000
const MIME_TYPES = ['video/mp4', 'video/quicktime', 'video/webm']

/**
 * The tasks of one creator: https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide and
 * https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status
 */
export function createTasks(now: () => number, switches: Switches) {
  let ids = 7_301_234_567_890_123_456n
  const tasks = new Map<string, Task>()
  const posts: TiktokPost[] = []
  const drafts: TiktokPost[] = []

  function create(kind: Task['kind'], isDraft: boolean, info: Task['info'] = {}): Task {
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
    const bytes = Buffer.concat(task.received)
    if (task.kind === 'video' && hasOtherVideo(bytes, ['avc', 'hevc', 'vp8', 'vp9'])) {
      task.failure ??= 'file_format_check_failed'
    }
    if (task.failure !== undefined) return
    const { postId: id, publishId, kind, info } = task
    const list = task.isDraft ? drafts : posts
    list.push({ id, publishId, kind, info, bytes })
  }

  /** `PUT` of a chunk. The address is the permission. */
  const receive = ({ query, headers, files }: Recorded): Reply => {
    const task = [...tasks.values()].find(({ token }) => token === query.upload_token)
    if (!task) return { status: 404 }
    if (now() - task.createdAt > HOUR_MS) return { status: 403 }
    const chunk = files[0]?.bytes ?? Buffer.alloc(0)
    const [, from, to, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []).map(Number)
    const isConsistent = from !== undefined && to! - from + 1 === chunk.length && total === task.size
    if (!isConsistent || !headers['content-length'] || !MIME_TYPES.includes(headers['content-type'] ?? '')) {
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
    if (!task.isAccepted || task.looks > 0) {
      if (task.isAccepted) task.looks--
      const uploaded = switches.tellsBytes && { uploaded_bytes: bytesOf(task) }
      const processing = { status: 'PROCESSING_UPLOAD', ...uploaded }
      return okReply(task.kind === 'video' ? processing : { status: 'PROCESSING_DOWNLOAD', downloaded_bytes: 0 })
    }
    if (task.failure !== undefined) return okReply({ status: 'FAILED', fail_reason: task.failure })
    if (task.isDraft) return okReply({ status: 'SEND_TO_USER_INBOX' })
    const isPublic = task.info.privacy_level === 'PUBLIC_TO_EVERYONE' && task.idLooks-- <= 0
    const ids = isPublic ? [task.postId] : []
    const shown = switches.hasIdList ? ids : ids[0]
    const reply = okReply({ status: 'PUBLISH_COMPLETE', publicaly_available_post_id: shown })
    // Numbers that JavaScript rounds.
    return { ...reply, body: JSON.stringify(reply.body).replace(/"(\d{19})"/g, '$1') }
  }

  return { tasks, posts, drafts, create, accept, receive, readStatus }
}
