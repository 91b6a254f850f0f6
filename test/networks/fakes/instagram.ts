import { instagram } from '../../../src/platforms/instagram/limits.ts'
import { download } from '../../helpers/adapter-calls.ts'
import type { Teardown } from '../../helpers/database.ts'
import { type Container, createLags, readStatus, statusOf } from './containers.ts'
import { hasOtherSound, hasOtherVideo, sizeOf } from './files.ts'
import {
  checkFields,
  containerControls,
  createTokenService,
  errorBody,
  formOf,
  needScope,
  pick,
  refuse,
  timestampOf,
} from './meta.ts'
import { type FakeNetwork, type Recorded, Refused, type Reply, startFake } from './network.ts'
import type { Scene } from './scene.ts'

interface InstagramPost {
  id: string
  caption: string | undefined
  timestamp: string
  media_type: 'IMAGE' | 'VIDEO' | 'CAROUSEL_ALBUM'
  media_product_type: 'FEED' | 'REELS' | 'STORY'
  permalink: string | undefined
  children?: { data: { id: string }[] }
  /** The parameters with which the container was created. */
  parameters: Record<string, string>
}

interface Comment {
  id: string
  postId: string
  text: string
  username: string
  timestamp: string
}

export interface FakeInstagram extends FakeNetwork {
  credentials: { accessToken: string; userId: string; issuedAt: string }
  tokens: ReturnType<typeof createTokenService>
  containers: Map<string, Container>
  /** Newest first, with stories. */
  posts: InstagramPost[]
  comments: Comment[]
  /** How new containers behave. */
  next: Pick<Container, 'looks' | 'problem'>
  /** A new post or comment is missing from lists for this many calls. */
  lag: number
  /** A container that was published reads as finished this many times. */
  statusLag: number
  /** Whether publishing a container again makes a second post. No page says so, nor that it is refused. */
  publishesAgain: boolean
  /** The token response is an object, and not a list with one. */
  isFlat: boolean
  /**
   * The token response has permissions in a list, and not in a text. The page shows a text, Meta's specification a
   * list.
   */
  listsPermissions: boolean
  /**
   * Whether parameters that stories and items of a carousel do not have are ignored, and not refused. No page says
   * which.
   */
  ignoresMisplaced: boolean
  /** Whether captions lose superfluous white space. No page says that they keep it. */
  tidiesCaptions: boolean
  quota: number
  /** How many of the 400 containers of a day are left. */
  containersLeft: number
  /** The code that refuses more containers. No page has it. */
  containerLimitCode: 4 | 9
  download: typeof download
  setTime(time: Date): void
  comment(postId: string, text: string, username: string): Comment
}

const USER = '17841405793187218'
const SCOPES = ['instagram_business_basic', 'instagram_business_content_publish', 'instagram_business_manage_comments']
const POST_FIELDS = ['id', 'caption', 'timestamp', 'media_type', 'media_product_type', 'permalink', 'children']
const REEL = ['share_to_feed', 'cover_url', 'thumb_offset', 'audio_name', 'trial_params']
const FILE = ['image_url', 'video_url', 'media_type', 'is_carousel_item', 'alt_text', 'user_tags']
const WHOLE = ['caption', 'children', 'location_id', 'collaborators', 'is_ai_generated', 'is_paid_partnership']

const absent = (id: string): never =>
  refuse(100, `Unsupported get request. Object with ID '${id}' does not exist`, {
    subcode: 33,
    type: 'GraphMethodException',
  })

/**
 * The Instagram API with Instagram Login as https://developers.facebook.com/docs/instagram-platform/ (ig-user/media,
 * ig-container, error-codes, business-login) describes it. Words of refusals that no page has are this fake's own.
 */
export async function startInstagram(t: Teardown): Promise<FakeInstagram> {
  const containers = new Map<string, Container>()
  const posts: InstagramPost[] = []
  const comments: Comment[] = []
  const lags = createLags()
  let ids = 17_900_000_000_000_001n
  let clock = () => Date.now()
  const nextId = () => String(++ids)
  const tokens = createTokenService({
    prefix: 'ig',
    basicScope: 'instagram_business_basic',
    userId: USER,
    clock: () => clock(),
    // The id is a number that JavaScript rounds.
    codeResponse: (token, scopes) => {
      const permissions = JSON.stringify(fake.listsPermissions ? scopes : scopes.join(','))
      const issued = `{"access_token":"${token}","user_id":${USER},"permissions":${permissions}}`
      return fake.isFlat ? issued : `{"data":[${issued}]}`
    },
  })

  /** Returns the problem of a video that cannot be fetched; an image is refused. */
  const fetchFile = async ({ image_url: image, video_url: video, ...others }: Record<string, string>) => {
    const { status, type, bytes } = await fake.download(image ?? video ?? '')
    if (image === undefined) {
      if (status !== 200 || !/^video\/(?:mp4|quicktime)$/.test(type)) return '2207052'
      return hasOtherVideo(bytes, ['avc', 'hevc']) || hasOtherSound(bytes) ? '2207026' : undefined
    }
    if (status !== 200) refuse(9004, 'The media could not be fetched', { subcode: 2207052 })
    if (type !== 'image/jpeg') refuse(36001, 'The image format is not supported', { subcode: 2207005 })
    if (bytes.length > 8_388_608) refuse(36000, 'The image size is too large.', { subcode: 2207004 })
    const size = others.media_type === 'STORIES' || others.is_carousel_item ? null : sizeOf(bytes)
    if (size && (size.width < 0.8 * size.height || size.width > 1.91 * size.height))
      refuse(36003, 'The aspect ratio is not supported.', { subcode: 2207009 })
    return undefined
  }

  const checkChildren = (list: string) => {
    const children = list.split(',')
    if (children.length < 2 || children.length > 10) refuse(100, 'A carousel has 2 to 10 files', { subcode: 2207028 })
    for (const id of children) {
      const child = containers.get(id) ?? absent(id)
      if (!child.parameters.is_carousel_item) refuse(100, 'Not an item of a carousel', { subcode: 2207028 })
      if (statusOf(child, clock()) !== 'FINISHED') refuse(9007, 'Media ID is not available', { subcode: 2207027 })
    }
  }

  const create = async (call: Recorded): Promise<Reply> => {
    needScope(tokens.check(call), 'instagram_business_content_publish')
    const { access_token: _, ...parameters } = formOf(call, [...FILE, ...WHOLE, ...REEL])
    const { media_type: type, image_url: image, video_url: video, is_carousel_item: isItem, caption } = parameters
    if (fake.containersLeft-- <= 0) refuse(fake.containerLimitCode, 'The daily limit of containers is reached')
    if (type === 'CAROUSEL') checkChildren(parameters.children ?? '')
    else if ((image === undefined) === (video === undefined)) refuse(100, 'Unknown media type', { subcode: 2207023 })
    if (video && type !== 'REELS' && type !== 'STORIES' && !(type === 'VIDEO' && isItem)) {
      refuse(100, 'Use media_type=REELS to publish a video', { subcode: 2207023 })
    }
    if (type !== 'REELS' && REEL.some((name) => name in parameters)) refuse(100, 'Only reels have this parameter')
    const misplaced = type === 'STORIES' ? [...WHOLE, 'alt_text'] : isItem ? WHOLE : []
    for (const name of misplaced.filter((each) => each in parameters)) {
      if (!fake.ignoresMisplaced) refuse(100, `param ${name} is not allowed`)
      delete parameters[name]
    }
    if ((caption ?? '').length > instagram.caption.lengthMax)
      refuse(36004, 'The caption is too long', { subcode: 2207010 })
    const tags = JSON.parse(parameters.user_tags ?? '[]') as Record<string, unknown>[]
    const isPlaced = image !== undefined
    const isWrong = (x: unknown) => type !== 'STORIES' && (x !== undefined) !== isPlaced
    if (tags.some(({ username, x }) => typeof username !== 'string' || isWrong(x))) {
      refuse(100, 'User tags are not valid', { subcode: 2207035 })
    }
    const problem = (type === 'CAROUSEL' ? undefined : await fetchFile(parameters)) ?? fake.next.problem
    const container = {
      id: nextId(),
      parameters,
      createdAt: clock(),
      ...fake.next,
      problem,
      isPublished: false,
      staleLooks: 0,
    }
    containers.set(container.id, container)
    return { status: 200, body: { id: container.id } }
  }

  const add = (parameters: Record<string, string>): InstagramPost => {
    const { media_type: type, caption, video_url: video, children } = parameters
    const id = nextId()
    const post: InstagramPost = {
      id,
      caption: fake.tidiesCaptions ? caption?.replaceAll(/\s+/g, ' ').trim() : caption,
      timestamp: timestampOf(clock()),
      media_type: children ? 'CAROUSEL_ALBUM' : video ? 'VIDEO' : 'IMAGE',
      media_product_type: type === 'REELS' ? 'REELS' : type === 'STORIES' ? 'STORY' : 'FEED',
      permalink: `https://www.instagram.com/p/${BigInt(id).toString(36)}/`,
      ...(children && { children: { data: children.split(',').map((child) => ({ id: child })) } }),
      parameters,
    }
    lags.hide(id, fake.lag)
    posts.unshift(post)
    return post
  }

  const publish = (call: Recorded): Reply => {
    needScope(tokens.check(call), 'instagram_business_content_publish')
    const { creation_id: id = '' } = formOf(call, ['creation_id'])
    const container = containers.get(id)
    if (!container || statusOf(container, clock()) === 'EXPIRED') {
      return refuse(24, 'The requested resource does not exist', { subcode: 2207008 })
    }
    if (container.isPublished && !fake.publishesAgain) refuse(100, 'The container was published before')
    if (!container.isPublished && statusOf(container, clock()) !== 'FINISHED')
      refuse(9007, 'Media ID is not available', { subcode: 2207027 })
    if (fake.quota-- <= 0) refuse(9, 'The daily limit of posts is reached', { subcode: 2207042 })
    container.isPublished = true
    container.staleLooks = fake.statusLag
    return { status: 200, body: { id: add(container.parameters).id } }
  }

  const list = (call: Recorded, isStories: boolean): Reply => {
    tokens.check(call)
    const fields = checkFields(call, POST_FIELDS)
    const since = Number(call.query.since ?? 0) * 1000
    const shown = posts.filter(
      ({ media_product_type: type, timestamp }) => (type === 'STORY') === isStories && Date.parse(timestamp) >= since,
    )
    const data = shown.filter(lags.isVisible).slice(0, Number(call.query.limit ?? 25))
    return { status: 200, body: { data: data.map((post) => pick(post, fields)) } }
  }

  const addComment = (postId: string, text: string, username: string): Comment => {
    const comment = { id: nextId(), postId, text, username, timestamp: timestampOf(clock()) }
    lags.hide(comment.id, fake.lag)
    comments.unshift(comment)
    return comment
  }

  const commentsOf = (call: Recorded, postId: string): Reply => {
    needScope(tokens.check(call), 'instagram_business_manage_comments')
    if (!posts.some(({ id }) => id === postId)) absent(postId)
    if (call.method === 'POST') {
      const { message = '', fields } = formOf(call, ['message', 'fields'])
      if (!message) refuse(100, 'The parameter message is required')
      const { id } = addComment(postId, message, 'alice')
      // The comment is made all the same.
      if (fields) throw new Refused({ status: 400, body: errorBody(20, 'Invalid fields', { subcode: 1772107 }) })
      return { status: 200, body: { id } }
    }
    const fields = checkFields(call, ['id', 'text', 'username', 'timestamp', 'from'])
    const shown = comments.filter((comment) => comment.postId === postId && lags.isVisible(comment))
    return { status: 200, body: { data: shown.map((comment) => pick(comment, fields)) } }
  }

  const readObject = (call: Recorded, id: string): Reply => {
    tokens.check(call)
    const container = containers.get(id)
    if (!container) {
      const post = posts.find((each) => each.id === id) ?? absent(id)
      return { status: 200, body: pick(post, checkFields(call, POST_FIELDS)) }
    }
    const fields = checkFields(call, ['id', 'status_code', 'status'])
    const code = readStatus(container, clock())
    const status = code === 'ERROR' ? `Error: Media upload has failed with error code ${container.problem}` : code
    return { status: 200, body: pick({ id, status_code: code, status }, fields) }
  }

  const readMe = (call: Recorded): Reply => {
    needScope(tokens.check(call), 'instagram_business_basic')
    const fields = checkFields(call, ['id', 'user_id', 'username', 'name', 'account_type', 'profile_picture_url'])
    // `id` is the one of the app, which no path takes.
    const me = { id: '6512345678901234', user_id: USER, username: 'alice', name: 'Alice A.', account_type: 'BUSINESS' }
    return { status: 200, body: pick(me, fields) }
  }

  const respond = (call: Recorded): Reply | Promise<Reply> => {
    switch (`${call.method} ${call.host}${call.path}`) {
      case 'GET www.instagram.com/oauth/authorize':
        return tokens.authorize(call)
      case 'POST api.instagram.com/oauth/access_token':
        return tokens.exchangeCode(call)
      case 'GET graph.instagram.com/access_token':
        return tokens.exchangeToken(call)
      case 'GET graph.instagram.com/refresh_access_token':
        return tokens.refresh(call)
      case 'GET graph.instagram.com/v26.0/me':
        return readMe(call)
      case `POST graph.instagram.com/v26.0/${USER}/media`:
        return create(call)
      case `POST graph.instagram.com/v26.0/${USER}/media_publish`:
        return publish(call)
      case `GET graph.instagram.com/v26.0/${USER}/media`:
        return list(call, false)
      case `GET graph.instagram.com/v26.0/${USER}/stories`:
        return list(call, true)
    }
    const [, id = '', edge] = /^\/v26\.0\/(\d+)(?:\/(comments))?$/.exec(call.path) ?? absent(call.path)
    if (edge) return commentsOf(call, id)
    return call.method === 'GET' ? readObject(call, id) : absent(id)
  }

  const origins = ['https://graph.instagram.com', 'https://api.instagram.com', 'https://www.instagram.com']
  const fake: FakeInstagram = {
    ...(await startFake(t, origins, respond)),
    credentials: { accessToken: tokens.issue('long', SCOPES), userId: USER, issuedAt: '2026-01-01T00:00:00Z' },
    tokens,
    posts,
    containers,
    comments,
    next: { looks: 1, problem: undefined },
    lag: 0,
    statusLag: 0,
    publishesAgain: true,
    isFlat: false,
    listsPermissions: false,
    ignoresMisplaced: false,
    tidiesCaptions: false,
    quota: 100,
    containersLeft: 400,
    containerLimitCode: 4,
    download,
    setTime: (time) => {
      clock = () => time.getTime()
    },
    comment: addComment,
  }
  return fake
}

export const instagramScene: Scene<FakeInstagram> = {
  start: startInstagram,
  origins: ['https://graph.instagram.com'],
  account: ({ credentials }) => ({ credentials }),
  countVisible: (instagram) => instagram.posts.length + instagram.comments.length,
  controls: (fake) => containerControls(fake, '2207026'),
}
