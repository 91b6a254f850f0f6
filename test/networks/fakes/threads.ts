import { countLength } from '../../../src/platforms/rules/text-length.ts'
import { download } from '../../helpers/adapter-calls.ts'
import type { Teardown } from '../../helpers/database.ts'
import { type Container, createLags, readStatus, statusOf } from './containers.ts'
import { hasOtherSound, hasOtherVideo } from './files.ts'
import {
  checkFields,
  containerControls,
  createTokenService,
  formOf,
  needScope,
  pick,
  refuse,
  timestampOf,
} from './meta.ts'
import { type FakeNetwork, type Recorded, type Reply, startFake } from './network.ts'
import type { Scene } from './scene.ts'

interface ThreadsContainer extends Container {
  /** Reads that do not find it. */
  hidden: number
  /** Calls of publish that do not find it although it is finished. */
  hiddenPublish: number
}

interface ThreadsPost {
  id: string
  text: string
  timestamp: string
  media_type: 'TEXT_POST' | 'IMAGE' | 'VIDEO' | 'CAROUSEL_ALBUM'
  permalink: string | undefined
  children?: { data: { id: string }[] }
  replied_to?: { id: string }
  /** The parameters with which the container was created. */
  parameters: Record<string, string>
}

export interface FakeThreads extends FakeNetwork {
  credentials: { accessToken: string; userId: string; issuedAt: string }
  tokens: ReturnType<typeof createTokenService>
  containers: Map<string, ThreadsContainer>
  /** Newest first, with replies. */
  posts: ThreadsPost[]
  /** How new containers behave. */
  next: Pick<ThreadsContainer, 'looks' | 'hidden' | 'hiddenPublish' | 'problem'>
  /** A new post is missing from lists, and cannot be replied to, for this many calls. */
  lag: number
  /** A container that was published reads as finished this many times. */
  statusLag: number
  /** Whether publishing a container again makes a second post. No page says so, nor that it is refused. */
  publishesAgain: boolean
  hasPermalinks: boolean
  quota: { posts: number; replies: number; deletes: number }
  /** Code and subcode of the refusal above the quota, which no page has. */
  quotaError: { code: number; subcode?: number }
  /** Whether texts lose superfluous white space. No page says that they keep it. */
  tidiesTexts: boolean
  /** The types of files that it downloaded. */
  downloads: string[]
  /** Gets files by their addresses. */
  download: typeof download
  setTime(time: Date): void
  /** Publishes a text like another client of the account. */
  post(text: string, replyTo?: string): ThreadsPost
}

const SCOPES = [
  ...['threads_basic', 'threads_content_publish', 'threads_manage_replies', 'threads_read_replies'],
  'threads_delete',
]
const MAIN = ['media_type', 'text', 'image_url', 'video_url', 'alt_text', 'children', 'is_carousel_item', 'reply_to_id']
const OPTIONAL = ['reply_control', 'topic_tag', 'quote_post_id', 'allowlisted_country_codes']
const TEXT_ONLY = ['link_attachment', 'text_attachment', 'poll_attachment']
const REPLY_CONTROLS = [
  'everyone',
  'accounts_you_follow',
  'mentioned_only',
  'parent_post_author_only',
  'followers_only',
]

const notFound = (id: string): never =>
  refuse(24, 'The requested resource does not exist', {
    subcode: 4279009,
    title: 'Media Not Found',
    type: 'OAuthException',
  }) ?? id

/**
 * Threads as https://developers.facebook.com/docs/threads/ (posts, reference/publishing, troubleshooting, get-started)
 * describes it. Words of refusals that no page has are this fake's own.
 */
export async function startThreads(t: Teardown): Promise<FakeThreads> {
  const containers = new Map<string, ThreadsContainer>()
  const posts: ThreadsPost[] = []
  const lags = createLags()
  let ids = 18_000_000_000_000_001n
  let clock = () => Date.now()
  const nextId = () => String(++ids)
  const tokens = createTokenService({
    prefix: 'th',
    basicScope: 'threads_basic',
    userId: '17841405793187218',
    clock: () => clock(),
    // A number that JavaScript rounds.
    codeResponse: (accessToken) => `{"access_token":"${accessToken}","user_id":17841405793187218}`,
  })

  const checkText = (parameters: Record<string, string>) => {
    if (countLength(parameters.text ?? '', 'threads') > 500) {
      refuse(100, 'Param text must be at most 500 characters long.')
    }
    const links = new Set((parameters.text ?? '').match(/https?:\/\/\S+|\bwww\.\w+\.\S+/g)).add(
      parameters.link_attachment ?? '',
    )
    links.delete('')
    if (links.size > 5) refuse(100, 'THREADS_API__LINK_LIMIT_EXCEEDED')
    const countries = parameters.allowlisted_country_codes?.split(',') ?? []
    if (!countries.every((code) => /^[A-Z]{2}$/i.test(code))) {
      refuse(100, 'THREADS_API__GEO_GATING_INVALID_COUNTRY_CODES')
    }
    const { topic_tag: tag, reply_control: control, poll_attachment: poll, text_attachment: attachment } = parameters
    if (tag !== undefined && !/^[^.&]{1,50}$/u.test(tag)) refuse(100, 'Param topic_tag is not valid.')
    if (control !== undefined && !REPLY_CONTROLS.includes(control)) refuse(100, 'Param reply_control is not valid.')
    if (poll !== undefined) {
      const options = Object.entries(JSON.parse(poll) as Record<string, unknown>)
      const isPoll = options.every(([name, text]) => /^option_[a-d]$/.test(name) && typeof text === 'string' && text)
      if (!isPoll || options.length < 2) refuse(100, 'Param poll_attachment is not valid.')
    }
    if (attachment !== undefined && (poll || parameters.link_attachment)) refuse(100, 'Attachments cannot be combined.')
    if (attachment !== undefined && !(JSON.parse(attachment) as { plaintext?: string }).plaintext) {
      refuse(100, 'Param text_attachment is not valid.')
    }
  }

  /** Returns the problem of a video that cannot be fetched; an image is refused. */
  const fetchFile = async ({ image_url: image, video_url: video }: Record<string, string>) => {
    const file = await fake.download(image ?? video ?? '')
    fake.downloads.push(file.type)
    if (image !== undefined) {
      if (file.status !== 200 || !/^image\/(?:jpeg|png)$/.test(file.type) || file.bytes.length > 8_388_608) {
        refuse(100, 'The media could not be fetched from this URI: it is not an image')
      }
      return undefined
    }
    if (file.status !== 200 || !/^video\/(?:mp4|quicktime)$/.test(file.type)) return 'FAILED_DOWNLOADING_VIDEO'
    if (hasOtherVideo(file.bytes, ['avc', 'hevc'])) return 'FAILED_PROCESSING_VIDEO'
    return hasOtherSound(file.bytes) ? 'FAILED_PROCESSING_AUDIO' : undefined
  }

  const create = async (call: Recorded): Promise<Reply> => {
    const token = tokens.check(call)
    needScope(token, 'threads_content_publish')
    const parameters = formOf(call, [...MAIN, ...OPTIONAL, ...TEXT_ONLY])
    const { media_type: type, reply_to_id: parent, children, is_carousel_item: isItem } = parameters
    let problem = fake.next.problem
    if (parent !== undefined) {
      needScope(token, 'threads_manage_replies')
      if (!posts.some(({ id }) => id === parent) || !lags.isVisible({ id: parent })) notFound(parent)
    }
    if (type !== 'TEXT' && TEXT_ONLY.some((name) => name in parameters))
      refuse(100, 'Only text posts have attachments.')
    checkText(parameters)
    if (type === 'TEXT') {
      if (!parameters.text) refuse(100, 'Param text is required.')
    } else if (type === 'IMAGE' || type === 'VIDEO') {
      const needed = type === 'IMAGE' ? 'image_url' : 'video_url'
      if (!parameters[needed]) refuse(100, `Param ${needed} is required.`)
      if (isItem && parameters.text) refuse(100, 'An item of a carousel has no text.')
      problem = (await fetchFile(parameters)) ?? problem
    } else if (type === 'CAROUSEL') {
      const ids = (children ?? '').split(',')
      if (ids.length < 2 || ids.length > 20) refuse(100, 'A carousel has 2 to 20 items.')
      for (const id of ids) {
        const child = containers.get(id) ?? notFound(id)
        if (!child.parameters.is_carousel_item) refuse(100, 'Param children is not valid.')
        if (statusOf(child, clock()) !== 'FINISHED') notFound(id)
      }
    } else refuse(100, 'Param media_type must be one of TEXT, IMAGE, VIDEO, CAROUSEL.')
    const { access_token: _, ...rest } = parameters
    const container = {
      id: nextId(),
      parameters: rest,
      createdAt: clock(),
      ...fake.next,
      problem,
      isPublished: false,
      staleLooks: 0,
    }
    containers.set(container.id, container)
    return { status: 200, body: { id: container.id } }
  }

  const readContainer = (container: ThreadsContainer, call: Recorded): Reply => {
    const fields = checkFields(call, ['id', 'status', 'error_message'])
    if (container.hidden > 0) {
      container.hidden--
      notFound(container.id)
    }
    const status = readStatus(container, clock())
    const problem = status === 'ERROR' ? container.problem : undefined
    return { status: 200, body: pick({ id: container.id, status, error_message: problem }, fields) }
  }

  const add = (parameters: Record<string, string>): ThreadsPost => {
    const { text = '', media_type: type = 'TEXT', children, reply_to_id: parent } = parameters
    const id = nextId()
    const post: ThreadsPost = {
      id,
      text: fake.tidiesTexts ? text.replaceAll(/\s+/g, ' ').trim() : text,
      timestamp: timestampOf(clock()),
      media_type: MEDIA_TYPES[type]!,
      permalink: fake.hasPermalinks ? `https://www.threads.net/@alice/post/${BigInt(id).toString(36)}` : undefined,
      ...(children && { children: { data: children.split(',').map((child) => ({ id: child })) } }),
      ...(parent && { replied_to: { id: parent } }),
      parameters,
    }
    lags.hide(id, fake.lag)
    posts.unshift(post)
    return post
  }

  const publish = (call: Recorded): Reply => {
    const token = tokens.check(call)
    needScope(token, 'threads_content_publish')
    const { creation_id: id = '' } = formOf(call, ['creation_id'])
    const container = containers.get(id) ?? notFound(id)
    if (container.isPublished && !fake.publishesAgain) refuse(100, 'The container was published before.')
    if (!container.isPublished && statusOf(container, clock()) !== 'FINISHED') notFound(id)
    if (container.hiddenPublish > 0) {
      container.hiddenPublish--
      notFound(id)
    }
    const kind = container.parameters.reply_to_id ? 'replies' : 'posts'
    const { code, subcode } = fake.quotaError
    if (fake.quota[kind] <= 0) refuse(code, 'The user reached the limit of posts', { subcode })
    fake.quota[kind]--
    container.isPublished = true
    container.staleLooks = fake.statusLag
    return { status: 200, body: { id: add(container.parameters).id } }
  }

  const list = (call: Recorded, isReplies: boolean): Reply => {
    const token = tokens.check(call)
    if (isReplies) needScope(token, 'threads_read_replies')
    const fields = checkFields(call, POST_FIELDS)
    const limit = Number(call.query.limit ?? 25)
    if (limit > 100) refuse(100, 'Param limit must be at most 100.')
    const since = Number(call.query.since ?? 0) * 1000
    const shown = posts.filter(
      (post) => (post.replied_to !== undefined) === isReplies && Date.parse(post.timestamp) >= since,
    )
    const data = shown.filter(lags.isVisible).slice(0, limit)
    return { status: 200, body: { data: data.map((post) => pick(post, fields)), paging: { cursors: {} } } }
  }

  const readObject = (call: Recorded): Reply => {
    tokens.check(call)
    const id = call.path.split('/').at(-1)!
    const container = containers.get(id)
    if (container) return readContainer(container, call)
    const post = posts.find((each) => each.id === id) ?? notFound(id)
    return { status: 200, body: pick(post, checkFields(call, POST_FIELDS)) }
  }

  // https://developers.facebook.com/docs/threads/posts/delete-posts
  const remove = (call: Recorded): Reply => {
    needScope(tokens.check(call), 'threads_delete')
    const id = call.path.split('/').at(-1)!
    const index = posts.findIndex((post) => post.id === id)
    if (index < 0) notFound(id)
    if (fake.quota.deletes <= 0) refuse(9, 'The user reached the limit of deletions', { subcode: 2207042 })
    fake.quota.deletes--
    posts.splice(index, 1)
    return { status: 200, body: { success: true, deleted_id: id } }
  }

  const me = (call: Recorded): Reply => {
    needScope(tokens.check(call), 'threads_basic')
    const fields = checkFields(call, ['id', 'username', 'name', 'threads_profile_picture_url', 'is_verified'])
    return { status: 200, body: pick({ id: tokens.userId, username: 'alice', name: 'Alice A.' }, fields) }
  }

  const debugToken = (call: Recorded): Reply => {
    const { scopes } = tokens.check(call)
    return { status: 200, body: { data: { is_valid: true, scopes, user_id: tokens.userId } } }
  }

  const respond = (call: Recorded): Reply | Promise<Reply> => {
    switch (`${call.method} ${call.path}`) {
      case 'GET /oauth/authorize':
        return tokens.authorize(call)
      case 'POST /oauth/access_token':
        return tokens.exchangeCode(call)
      case 'GET /access_token':
        return tokens.exchangeToken(call)
      case 'GET /refresh_access_token':
        return tokens.refresh(call)
      case 'GET /v1.0/debug_token':
        return debugToken(call)
      case 'GET /v1.0/me':
        return me(call)
      case 'GET /v1.0/me/threads':
        return list(call, false)
      case 'GET /v1.0/me/replies':
        return list(call, true)
      case 'POST /v1.0/me/threads':
        return create(call)
      case 'POST /v1.0/me/threads_publish':
        return publish(call)
    }
    if (!/^\/v1\.0\/\d+$/.test(call.path)) return refuse(100, 'Unsupported request')
    if (call.method === 'DELETE') return remove(call)
    return call.method === 'GET' ? readObject(call) : refuse(100, 'Unsupported request')
  }

  const accessToken = tokens.issue('long', SCOPES)
  const fake: FakeThreads = {
    ...(await startFake(t, ['https://graph.threads.net', 'https://threads.com'], respond)),
    credentials: { accessToken, userId: tokens.userId, issuedAt: '2026-01-01T00:00:00Z' },
    tokens,
    posts,
    containers,
    next: { looks: 1, hidden: 0, hiddenPublish: 0, problem: undefined },
    lag: 0,
    statusLag: 0,
    publishesAgain: true,
    hasPermalinks: true,
    quota: { posts: 250, replies: 1000, deletes: 100 },
    quotaError: { code: 9, subcode: 2207042 },
    tidiesTexts: false,
    downloads: [],
    download,
    setTime: (time) => {
      clock = () => time.getTime()
    },
    post: (text, replyTo) => add({ media_type: 'TEXT', text, ...(replyTo && { reply_to_id: replyTo }) }),
  }
  return fake
}

const POST_FIELDS = ['id', 'text', 'timestamp', 'permalink', 'media_type', 'children', 'replied_to', 'shortcode']
const MEDIA_TYPES: Record<string, ThreadsPost['media_type']> = {
  TEXT: 'TEXT_POST',
  IMAGE: 'IMAGE',
  VIDEO: 'VIDEO',
  CAROUSEL: 'CAROUSEL_ALBUM',
}

export const threadsScene: Scene<FakeThreads> = {
  start: startThreads,
  origins: ['https://graph.threads.net'],
  account: ({ credentials }) => ({ credentials }),
  countVisible: (threads) => threads.posts.length,
  published: ({ posts }) => {
    const find = (id: string) => posts.find((post) => post.id === id)
    return {
      textOf: (id) => find(id)?.text,
      editsOf: () => 0,
      remove: (id) => void posts.splice(posts.indexOf(find(id)!), 1),
    }
  },
  knownFields: { quotePostId: [] },
  controls: (fake) => containerControls(fake, 'INVALID_DURATION'),
}
