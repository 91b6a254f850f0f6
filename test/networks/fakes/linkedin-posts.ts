import {
  type FakeLinkedin,
  forbidden,
  type LinkedinState,
  type LinkedinToken,
  mayActFor,
  refuse,
  refuseField,
} from './linkedin.ts'
import { type Recorded, Refused, type Reply } from './network.ts'

interface Item {
  id: string
  title?: string
  altText?: string
}

interface Poll {
  question: string
  options: { text: string }[]
  settings: { duration: string }
}

/** A union: one of them. */
interface Content {
  media?: Item
  multiImage?: { images: Item[] }
  article?: { source: string; title: string; description?: string; thumbnail?: string }
  poll?: Poll
}

/** The body of a request, before it is checked. */
type PostBody = Pick<LinkedinPost, 'author' | 'commentary' | 'visibility' | 'lifecycleState'> & {
  isReshareDisabledByAuthor?: boolean
  content?: Content
} & Record<string, unknown>

export interface LinkedinPost {
  id: string
  author: string
  /** As LinkedIn stores it. */
  commentary: string
  /** The text as readers see it. */
  text: string
  visibility: string
  lifecycleState: string
  isReshareDisabledByAuthor: boolean
  content?: Content
  createdAt: number
  lastModifiedAt: number
  /** The request, by which copies are recognised. */
  json: string
  /** Its author has deleted it. Copies of it are refused all the same. */
  isDeleted: boolean
  edits: number
}

const FIELDS = ['author', 'commentary', 'visibility', 'distribution', 'lifecycleState']
const OPTIONAL = ['content', 'isReshareDisabledByAuthor', 'reshareContext']
const COPIES_REFUSED_MS = 600_000

/**
 * Posts and comments: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api and
 * /comments-api.
 */
export function servePosts(state: LinkedinState, fake: () => FakeLinkedin) {
  return (call: Recorded, token: LinkedinToken): Reply | undefined => {
    const { method, path } = call
    if (path === '/rest/posts' && method === 'POST') return createPost(call, token, state, fake())
    if (path === '/rest/posts' && method === 'GET') return listPosts(call, token, state, fake())
    const [, postUrn] = /^\/rest\/posts\/([^/]+)$/.exec(path) ?? []
    if (postUrn !== undefined) return changePost(call, decodeURIComponent(postUrn), token, state)
    const [, urn, commentId] = /^\/rest\/socialActions\/([^/]+)\/comments(?:\/(\d+))?$/.exec(path) ?? []
    if (urn === undefined) return undefined
    if (commentId !== undefined) return changeComment(call, commentId, token, state)
    const post = state.posts.find(({ id }) => id === decodeURIComponent(urn))
    if (!post || post.isDeleted)
      return refuse(404, 'NOT_FOUND', `Unable to obtain activity for ${decodeURIComponent(urn)}`)
    return method === 'POST' ? createComment(call, post, token, state, fake()) : listComments(post, token, state)
  }
}

function createPost({ body }: Recorded, token: LinkedinToken, state: LinkedinState, fake: FakeLinkedin): Reply {
  const fields = body as PostBody
  for (const field of FIELDS) {
    if (fields[field] === undefined) refuseField('MISSING_FIELD', field, `${field} is required but not found`)
  }
  for (const field of Object.keys(fields)) {
    if (![...FIELDS, ...OPTIONAL].includes(field)) {
      refuse(422, 'UNPERMITTED_FIELD', `Unpermitted fields present in REQUEST_BODY: [/${field}]`)
    }
  }
  const { author, commentary, visibility, lifecycleState, content, isReshareDisabledByAuthor = false } = fields
  if (!mayActFor(author, token, state)) forbidden('partnerApiPostsExternal.CREATE.20260901')
  const visibilities = ['PUBLIC', 'LOGGED_IN', ...(author === token.member ? ['CONNECTIONS'] : [])]
  if (!visibilities.includes(visibility)) refuseField('INVALID_VALUE_FOR_FIELD', 'visibility', 'Invalid visibility')
  if (lifecycleState !== 'PUBLISHED') refuseField('INVALID_VALUE_FOR_FIELD', 'lifecycleState', 'Invalid state')
  if (typeof commentary !== 'string') refuseField('INVALID_VALUE_FOR_FIELD', 'commentary', 'Expected a string')
  const text = readLittleText(commentary)
  if (text.length > 3000) {
    refuseField('FIELD_LENGTH_TOO_LONG', 'commentary', 'Commentary exceeded the limit of 3000 characters')
  }
  if (content !== undefined) checkContent(content, author, state)
  if (text === '' && content === undefined) refuseField('INVALID_VALUE_BLANK_FIELD', 'commentary', 'Text is blank')

  const now = state.clock().getTime()
  const json = JSON.stringify(body)
  const copied = state.posts.findLast((post) => post.json === json && now - post.createdAt < COPIES_REFUSED_MS)
  // Each refused copy of a deleted post names a new post that does not exist:
  // https://github.com/ComposioHQ/composio/issues/2710
  if (copied) refuseCopy(copied.isDeleted ? `urn:li:share:${state.nextId()}` : copied.id, state)
  const usual = content !== undefined && ('poll' in content || isVideo(content)) ? 'ugcPost' : 'share'
  const id = `urn:li:${fake.postKind ?? usual}:${state.nextId()}`
  const times = { createdAt: now, lastModifiedAt: now }
  state.posts.unshift({
    id,

    author,
    commentary,
    text,
    visibility,
    lifecycleState,
    isReshareDisabledByAuthor,
    ...times,
    json,
    isDeleted: false,
    edits: 0,
    ...(content !== undefined && { content }),
  })
  return { status: 201, headers: { 'x-restli-id': id } }
}

/** As quoted in https://github.com/Arisamiga/Linkedin-RSS/issues/5. */
function refuseCopy(urn: string, { clock }: LinkedinState): never {
  const body = {
    errorDetailType: 'com.linkedin.common.error.BadRequest',
    message: `com.linkedin.content.common.exception.BadRequestResponseException: Content is a duplicate of ${urn}`,
    errorDetails: { inputErrors: [{ description: 'Duplicate post is detected', input: {}, code: 'DUPLICATE_POST' }] },
    status: 422,
  }
  throw new Refused({ status: 422, body, headers: { date: clock().toUTCString() } })
}

/**
 * The text of a commentary. LinkedIn cuts it at a reserved character that is not escaped:
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format
 */
function readLittleText(commentary: string): string {
  const element =
    /\\(.)|@\[((?:\\.|[^\\\]])*)\]\(urn:li:\w+:[\w-]+\)|\{hashtag\|\\?#\|((?:\\.|[^\\}])*)\}|(#[\p{L}\p{N}])|([|{}@[\]()<>#*_~\\])/gsu
  let text = ''
  let end = 0
  for (const { 0: match, 1: escaped, 2: name, 3: tag, 4: hashtag, 5: bare, index } of commentary.matchAll(element)) {
    text += commentary.slice(end, index)
    if (bare !== undefined) return text
    if (escaped !== undefined) text += escaped
    else if (hashtag !== undefined) text += hashtag
    else text += tag === undefined ? readLittleText(name ?? '') : `#${readLittleText(tag)}`
    end = index + match.length
  }
  return text + commentary.slice(end)
}

const isVideo = ({ media }: Content) => media?.id.startsWith('urn:li:video:')

function checkContent(content: Content, author: string, state: LinkedinState): void {
  const kinds = Object.keys(content)
  if (kinds.length !== 1) refuseField('INVALID_VALUE_FOR_FIELD', 'content', 'Content has to be one member of the union')
  const { media, multiImage, article, poll } = content
  const allow = (object: object, ...names: string[]) => {
    const unknown = Object.keys(object).find((name) => !names.includes(name))
    if (unknown) refuse(422, 'UNPERMITTED_FIELD', `Unpermitted fields present in REQUEST_BODY: [/content/${unknown}]`)
  }
  allow(content, 'media', 'multiImage', 'article', 'poll')
  for (const item of media ? [media] : (multiImage?.images ?? [])) {
    allow(item, 'id', 'altText', ...(media ? ['title'] : []))
    if ((item.altText ?? '').length > 4086) refuseField('FIELD_LENGTH_TOO_LONG', 'altText', 'Alt text is too long')
    checkAsset(item.id, author, state)
  }
  // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api
  if (media?.id.startsWith('urn:li:document:') && !media.title) {
    refuseField('MISSING_FIELD', 'content/media/title', 'title is required for documents')
  }
  if (multiImage) {
    const { images } = multiImage
    if (images.length < 2 || images.length > 20) {
      refuseField('INVALID_VALUE_FOR_FIELD', 'content/multiImage/images', 'Expected 2 to 20 images')
    }
    if (images.some(({ id }) => !id.startsWith('urn:li:image:'))) {
      refuseField('INVALID_URN_TYPE', 'content/multiImage/images', 'Expected image URNs')
    }
  }
  if (article) {
    allow(article, 'source', 'title', 'description', 'thumbnail')
    if (!URL.canParse(article.source)) refuseField('INVALID_VALUE_FOR_FIELD', 'content/article/source', 'No URL')
    if (article.thumbnail !== undefined) {
      if (!article.thumbnail.startsWith('urn:li:image:'))
        refuseField('INVALID_URN_TYPE', 'content/article/thumbnail', 'Expected an image URN')
      checkAsset(article.thumbnail, author, state)
    }
    if (!article.title) refuseField('MISSING_FIELD', 'content/article/title', 'title is required but not found')
  }
  if (poll) checkPoll(poll)
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/poll-post-api */
function checkPoll({ question, options, settings }: Poll): void {
  if (!question || question.length > 140) refuseField('FIELD_LENGTH_TOO_LONG', 'poll/question', 'Question')
  if (!Array.isArray(options) || options.length < 2 || options.length > 4) {
    refuseField('INVALID_VALUE_FOR_FIELD', 'poll/options', 'Expected 2 to 4 options')
  }
  if (options.some(({ text }) => !text || text.length > 30)) {
    refuseField('FIELD_LENGTH_TOO_LONG', 'poll/options', 'An option has at most 30 characters')
  }
  const durations = ['ONE_DAY', 'THREE_DAYS', 'SEVEN_DAYS', 'FOURTEEN_DAYS']
  if (!durations.includes(settings?.duration)) {
    refuseField('INVALID_VALUE_FOR_FIELD', 'poll/settings/duration', 'Invalid duration')
  }
}

function checkAsset(urn: string, author: string, { assets }: LinkedinState): void {
  const asset = assets.get(urn)
  if (!asset || asset.owner !== author) {
    const code = urn?.startsWith('urn:li:video:') ? 'INVALID_VIDEO_ID' : 'INVALID_IMAGE_ID'
    refuseField(code, 'content/media/id', `Cannot find the media ${urn}`)
  }
  if (asset?.status === 'WAITING_UPLOAD') {
    refuseField('MEDIA_ASSET_WAITING_UPLOAD', 'content/media/id', 'Media asset is waiting for its upload')
  }
  if (asset?.status === 'PROCESSING_FAILED') {
    refuseField('MEDIA_ASSET_PROCESSING_FAILED', 'content/media/id', 'Media asset failed processing')
  }
}

function listPosts(
  { query, headers }: Recorded,
  token: LinkedinToken,
  state: LinkedinState,
  fake: FakeLinkedin,
): Reply {
  // LinkedIn's own client writes it in lower case.
  const method = String(headers['x-restli-method']).toUpperCase()
  if (query.q !== 'author' || method !== 'FINDER') refuse(400, 'ILLEGAL_ARGUMENT', 'No such finder')
  const role = state.organizations.get(query.author ?? '')?.roles.get(token.member)
  if (!role || !token.scopes.has('r_organization_social')) forbidden('partnerApiPostsExternal.FINDER-author.20260901')
  const now = state.clock().getTime()
  const listed = state.posts.filter(
    ({ author, createdAt, isDeleted }) =>
      author === query.author && createdAt + fake.listedAfterMs <= now && !isDeleted,
  )
  const [start, count] = [Number(query.start ?? 0), Number(query.count ?? 10)]
  const elements = listed
    .slice(start, start + count)
    .map(({ text: _, json: __, isDeleted: ___, edits: ____, ...post }) => ({
      ...post,
      ...(post.content && !fake.keepsUrns && { content: renamed(post.content) }),
    }))
  return { status: 200, body: { elements, paging: { start, count, links: [] } } }
}

const renamed = (content: Content): Content =>
  JSON.parse(JSON.stringify(content).replaceAll(/urn:li:(?:image|video):/g, 'urn:li:digitalmediaAsset:'))

function createComment(
  { body }: Recorded,
  post: LinkedinPost,
  token: LinkedinToken,
  state: LinkedinState,
  fake: FakeLinkedin,
): Reply {
  if (fake.commentRefusals-- > 0) refuse(404, 'NOT_FOUND', `Unable to obtain activity for ${post.id}`)
  const { actor, object, message } = body as { actor?: string; object?: string; message?: { text?: string } }
  if (!mayActFor(actor, token, state)) forbidden('socialActions/comments.CREATE.20260901')
  const text = message?.text
  if (object !== post.id || !text) return refuseField('MISSING_FIELD', 'object', 'object and message are required')
  if (text.length > 1250) refuseField('FIELD_LENGTH_TOO_LONG', 'message/text', 'Comment is too long')
  const comment = { id: state.nextId(), actor: actor!, object, text, createdAt: state.clock().getTime(), edits: 0 }
  state.comments.unshift(comment)
  return { status: 201, headers: { 'x-restli-id': comment.id }, body: shownComment(comment, post) }
}

/**
 * https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#delete-posts: "Deletion is
 * idempotent". An update changes the commentary alone.
 */
function changePost(call: Recorded, urn: string, token: LinkedinToken, state: LinkedinState): Reply {
  // LinkedIn's own client sends it in small letters.
  const restMethod = String(call.headers['x-restli-method']).toUpperCase()
  const post = state.posts.find(({ id }) => id === urn)
  if (post && !mayActFor(post.author, token, state)) forbidden('partnerApiPostsExternal.DELETE.20260901')
  if (call.method === 'DELETE' && restMethod === 'DELETE') {
    if (!post) return refuse(404, 'NOT_FOUND', 'Post does not exist')
    post.isDeleted = true
    return { status: 204 }
  }
  if (call.method !== 'POST' || restMethod !== 'PARTIAL_UPDATE')
    return refuse(400, 'ILLEGAL_ARGUMENT', 'Unknown method')
  if (!post || post.isDeleted) return refuse(404, 'NOT_FOUND', 'Post does not exist')
  const { $set = {} } = (call.body as { patch?: { $set?: { commentary?: string } } }).patch ?? {}
  if (Object.keys($set).join() !== 'commentary') refuse(422, 'UNPERMITTED_FIELD', 'Unpermitted fields in REQUEST_BODY')
  const { commentary = '' } = $set
  const text = readLittleText(commentary)
  if (commentary !== post.commentary) {
    Object.assign(post, { commentary, text, edits: post.edits + 1, lastModifiedAt: state.clock().getTime() })
  }
  return { status: 204 }
}

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api#edit-a-comment */
function changeComment(call: Recorded, number: string, token: LinkedinToken, state: LinkedinState): Reply {
  const comment = state.comments.find(({ id }) => id === number)
  if (!comment) return refuse(404, 'NOT_FOUND', 'Comment does not exist')
  if (call.query.actor !== comment.actor || !mayActFor(comment.actor, token, state)) {
    forbidden('socialActions/comments.DELETE.20260901')
  }
  if (call.method === 'DELETE') {
    state.comments.splice(state.comments.indexOf(comment), 1)
    return { status: 204 }
  }
  const { message } = (call.body as { patch?: { message?: { $set?: { text?: string } } } }).patch ?? {}
  const text = message?.$set?.text
  if (!text) return refuseField('MISSING_FIELD', 'message', 'message is required')
  if (text !== comment.text) Object.assign(comment, { text, edits: comment.edits + 1 })
  return { status: 200, body: { id: comment.id, actor: comment.actor, object: comment.object, message: { text } } }
}

function listComments(post: LinkedinPost, token: LinkedinToken, { comments }: LinkedinState): Reply {
  if (!token.scopes.has('r_organization_social')) forbidden('socialActionsV2.GET_ALL.20260901')
  const elements = comments.filter(({ object }) => object === post.id).map((comment) => shownComment(comment, post))
  return { status: 200, body: { elements, paging: { start: 0, count: 50, links: [] } } }
}

function shownComment({ id, actor, object, text, createdAt }: FakeLinkedin['comments'][number], post: LinkedinPost) {
  const activity = post.id.replace(/^urn:li:\w+:/, 'urn:li:activity:')
  const commentUrn = `urn:li:comment:(${activity},${id})`
  return { id, actor, object, commentUrn, message: { attributes: [], text }, created: { actor, time: createdAt } }
}
