import type { Teardown } from '../../helpers/database.ts'
import { checkFields, checkParameters, graphError, refuse } from './facebook-errors.ts'
import { type FakeLogin, loginOf } from './facebook-login.ts'
import { type FakeVideos, videosOf } from './facebook-videos.ts'
import { type FakeNetwork, type Recorded, type Reply, startFake } from './network.ts'
import { has, LATE_MS, type Scene, set } from './scene.ts'

interface Post {
  id: string
  message?: string
  link?: string
  textFormatPresetId?: string
  photoIds: string[]
  createdAt: Date
  appId: string
  isPublished: boolean
  edits: number
}

/** A list in JSON; in a form, each photo is a parameter. */
interface AttachedMedia {
  attached_media?: { media_fbid: string }[]
}

interface Comment {
  id: string
  parent: string
  message: string
  from: { id: string; name: string }
  edits?: number
}

interface Story {
  postId: string
  mediaId: string
  mediaType: 'photo' | 'video'
  createdAt: Date
}

export interface FakeFacebook extends FakeNetwork {
  video: FakeVideos
  login: FakeLogin
  credentials: { pageId: string; accessToken: string; appId: string }
  /** The permissions that the token has. */
  scopes: Set<string>
  /** Makes the token invalid, with this subcode of code 190. */
  tokenSubcode: number | null
  /** Newest first. */
  posts: Post[]
  photos: Map<string, { isPublished: boolean; altText?: string; bytes: number }>
  stories: Story[]
  comments: Comment[]
  /** How long posts, stories and comments take to be listed. */
  listedAfterMs: number
  /** Whether a photo or video can be published again, in a second post. No page says so, nor that it is refused. */
  publishesAgain: boolean
  /** Whether a text that equals the one before is refused. */
  refusesRepeats: boolean
  /** Whether attachments have ids of their own in place of those of the photos. */
  hidesPhotoIds: boolean
  /** Ids of objects that the Page may read, and not change. */
  locked: Set<string>
  setTime(time: Date): void
  /** Creates a post like the owner of the Page. */
  post(message: string, options?: Partial<Post>): Post
  /** Everything that readers see, newest last. */
  visibleIds(): string[]
}

export const PAGE_ID = '1755847768034402'
export const APP_ID = '512345678901234'
const PAGE_TOKEN = 'EAAIpage0000token'
const PAGE_NAME = 'Metricsaurus'
const ORIGINS = ['https://graph.facebook.com', 'https://graph-video.facebook.com', 'https://rupload.facebook.com']

/** A limit of the Page's business use case; Meta counts in minutes. */
export const throttled = (seconds: number, code = 80_001): Reply => {
  const usage = { type: 'pages', call_count: 101, estimated_time_to_regain_access: seconds / 60 }
  const reply = graphError(code, 'There have been too many calls to this Page account.', {}, 400)
  return { ...reply, headers: { 'x-business-use-case-usage': JSON.stringify({ [PAGE_ID]: [usage] }) } }
}

const needs = (scopes: Set<string>, ...names: string[]) => {
  const missing = names.filter((name) => !scopes.has(name))
  if (missing.length > 0) refuse(200, `(#200) Requires ${missing.join(', ')} permission to manage the object`, {}, 403)
}

/**
 * Facebook as https://developers.facebook.com/docs/graph-api/reference/page/feed, …/page/photos,
 * …/docs/page-stories-api and …/docs/pages-api/posts describe it, for one Page. Its videos and its login are in files
 * of their own. If those pages say nothing about a refusal, its words are this fake's own.
 */
export async function startFacebook(t: Teardown): Promise<FakeFacebook> {
  const posts: Post[] = []
  const stories: Story[] = []
  const comments: Comment[] = []
  const photos: FakeFacebook['photos'] = new Map()
  const shownAt = new Map<string, number>()
  let clock = () => new Date()
  let ids = 122_105_000_000_000
  const nextId = () => String(++ids)

  /** Lists what was created at least `listedAfterMs` ago. */
  const isListed = (id: string) => (shownAt.get(id) ?? 0) <= clock().getTime()
  const show = (id: string) => shownAt.set(id, clock().getTime() + fake.listedAfterMs)

  const createPost = (post: Partial<Post>): Post => {
    const id = `${PAGE_ID}_${nextId()}`
    const created: Post = { id, photoIds: [], createdAt: clock(), appId: APP_ID, isPublished: true, edits: 0, ...post }
    posts.unshift(created)
    show(id)
    return created
  }

  const usePhoto = (id: string | undefined) => {
    const photo = id === undefined ? undefined : photos.get(id)
    if (!photo) return refuse(100, 'Invalid parameter', { error_user_msg: 'The photo does not exist.' })
    if (photo.isPublished && !fake.publishesAgain)
      return refuse(100, 'Invalid parameter', { error_user_msg: 'The photo was used in another post.' })
    photo.isPublished = true
    return photo
  }

  // https://developers.facebook.com/docs/graph-api/reference/page/feed
  const postFeed = (call: Recorded): Reply => {
    needs(fake.scopes, 'pages_manage_posts', 'pages_read_engagement')
    const fields = checkFields('post', call)
    const { attached_media: list = [], ...form } = (call.body ?? {}) as Record<string, string> & AttachedMedia
    const attached = Object.keys(form).filter((key) => key.startsWith('attached_media['))
    const photoIds = [...list, ...attached.map((key) => JSON.parse(form[key]!))].map(({ media_fbid: id }) => String(id))
    const { message, link, text_format_preset_id: preset } = form as Record<string, string>
    if (!message && !link && photoIds.length === 0) refuse(100, '(#100) Missing message or attachment')
    if (link && photoIds.length > 0) refuse(100, '(#100) Only one of link and attached_media can be set')
    if (link && URL.parse(link)?.hostname.endsWith('.invalid')) refuse(1609005, 'The link could not be scraped')
    if (preset && (photoIds.length > 0 || (message ?? '').length > 130)) refuse(100, '(#100) Invalid text format')
    if (fake.refusesRepeats && message && posts[0]?.message === message) refuse(506, 'Duplicate status message')
    for (const id of photoIds) usePhoto(id)
    const { id } = createPost({
      photoIds,
      ...(message && { message: message.trim() }),
      ...(link && { link }),
      ...(preset && { textFormatPresetId: preset }),
    })
    // Read-after-write.
    return { status: 200, body: { id, ...(fields.has('permalink_url') && { permalink_url: permalinkOf(id) }) } }
  }

  const getFeed = (call: Recorded): Reply => {
    needs(fake.scopes, 'pages_read_engagement', 'pages_read_user_content')
    checkFields('post', call)
    const since = Number(call.query.since ?? 0) * 1000
    const limit = Number(call.query.limit ?? 25)
    if (limit > 100) refuse(100, '(#100) Please reduce the amount of data')
    const found = posts.filter(({ id, createdAt }) => isListed(id) && createdAt.getTime() >= since).slice(0, limit)
    return { status: 200, body: { data: found.map(shownPost) } }
  }

  const shownPost = ({ id, message, link, photoIds, createdAt, appId, isPublished }: Post) => {
    const targets = photoIds.map((id) => ({ target: { id: fake.hidesPhotoIds ? `9${id}` : id } }))
    const [first] = targets
    const media = targets.length > 1 ? { subattachments: { data: targets } } : first
    const attachment = link ? { unshimmed_url: link } : media
    return {
      id,
      ...(message !== undefined && { message }),
      created_time: createdAt.toISOString().replace(/\.\d+Z$/, '+0000'),
      is_published: isPublished,
      application: { id: appId, name: 'Postroom', category: 'Business' },
      permalink_url: permalinkOf(id),
      ...(attachment && { attachments: { data: [attachment] } }),
    }
  }

  // https://developers.facebook.com/docs/graph-api/reference/page/photos/
  const postPhoto = ({ body, files }: Recorded): Reply => {
    needs(fake.scopes, 'pages_manage_posts', 'pages_read_engagement')
    const form = (body ?? {}) as Record<string, string>
    const file = files.find(({ field }) => field === 'source')
    if (!file) return refuse(324, '(#324) Requires upload file')
    if (!/^image\/(?:jpeg|png|gif|bmp|tiff)$/.test(file.type))
      refuse(100, 'Invalid parameter', { error_subcode: 2069019 })
    if (file.bytes.length > 10_485_760) refuse(100, 'Invalid parameter', { error_subcode: 1366046 })
    const id = nextId()
    const { published = 'true', alt_text_custom: altText } = form
    photos.set(id, { isPublished: published === 'true', bytes: file.bytes.length, ...(altText && { altText }) })
    if (published !== 'true') return { status: 200, body: { id } }
    return { status: 200, body: { id, post_id: createPost({ photoIds: [id] }).id } }
  }

  const createStory = (mediaType: Story['mediaType'], mediaId: string): Reply => {
    const story: Story = { postId: nextId(), mediaId, mediaType, createdAt: clock() }
    stories.unshift(story)
    show(story.postId)
    return { status: 200, body: { success: true, post_id: story.postId } }
  }

  // https://developers.facebook.com/docs/page-stories-api
  const postPhotoStory = ({ body }: Recorded): Reply => {
    needs(fake.scopes, 'pages_manage_posts', 'pages_read_engagement')
    const { photo_id: id } = (body ?? {}) as Record<string, string>
    if (!id) refuse(100, '(#100) The parameter photo_id is required.')
    usePhoto(id)
    return createStory('photo', id!)
  }

  const getStories = (call: Recorded): Reply => {
    needs(fake.scopes, 'pages_read_engagement')
    checkFields('story', call)
    const isOut = ({ mediaType, mediaId }: Story) => mediaType === 'photo' || fake.video.isProcessed(mediaId)
    const data = stories.filter((story) => isListed(story.postId) && isOut(story)).map(shownStory)
    return { status: 200, body: { data } }
  }

  // https://developers.facebook.com/docs/graph-api/reference/object/comments
  const postComment = (parent: string, { body }: Recorded): Reply => {
    needs(fake.scopes, 'pages_manage_engagement')
    const { message } = (body ?? {}) as Record<string, string>
    if (!message) return refuse(100, '(#100) Missing message or attachment')
    const comment = {
      id: `${parent.split('_').at(-1)}_${nextId()}`,
      parent,
      message,
      from: { id: PAGE_ID, name: PAGE_NAME },
    }
    comments.push(comment)
    show(comment.id)
    return { status: 200, body: { id: comment.id } }
  }

  const getComments = (parent: string, call: Recorded): Reply => {
    needs(fake.scopes, 'pages_read_engagement', 'pages_read_user_content')
    checkFields('comment', call)
    const data = comments.filter((comment) => comment.parent === parent && isListed(comment.id))
    return { status: 200, body: { data: data.map(({ parent: _, edits: __, ...comment }) => comment) } }
  }

  /** Reads, deletes or updates a post, a story or a comment: https://developers.facebook.com/docs/pages-api/posts */
  const callObject = (id: string, call: Recorded): Reply => {
    const lists = [posts, comments, stories] as { id?: string; postId?: string }[][]
    const list = lists.find((each) => each.some((object) => (object.id ?? object.postId) === id))
    const object = list?.find((each) => (each.id ?? each.postId) === id) as Post | Comment | Story | undefined
    if (!list || !object) return refuse(100, UNSUPPORTED, UNKNOWN_OBJECT)
    if (call.method === 'GET') return { status: 200, body: { id } }
    needs(fake.scopes, 'parent' in object ? 'pages_manage_engagement' : 'pages_manage_posts')
    if (fake.locked.has(id)) return refuse(100, UNSUPPORTED, UNKNOWN_OBJECT)
    if (call.method === 'DELETE') list.splice(list.indexOf(object as Post), 1)
    else if ('postId' in object) return refuse(100, UNSUPPORTED, UNKNOWN_OBJECT)
    else {
      // Meta's own client sends the id of the object too.
      const { message, id: _, ...others } = (call.body ?? {}) as Record<string, string>
      if (Object.keys(others).length > 0) refuse(100, '(#100) Unknown parameter')
      if (message !== object.message) Object.assign(object, { message, edits: (object.edits ?? 0) + 1 })
    }
    return { status: 200, body: { success: true } }
  }

  const isCommentable = (id: string) => posts.some((post) => post.id === id) || fake.video.hasVideo(id)

  const respond = (call: Recorded): Reply => {
    const login = fake.login.respond(call)
    if (login) return login
    checkToken(call, fake.tokenSubcode)
    checkParameters(call)
    const video = fake.video.respond(call)
    if (video) return video
    const [, path = ''] = /^\/v\d+\.0\/(.+)$/.exec(call.path) ?? refuse(2500, 'Unknown path components: /')
    const [, parent = ''] = /^([\d_]+)\/comments$/.exec(path) ?? []
    if (parent && !isCommentable(parent)) return refuse(100, UNSUPPORTED, UNKNOWN_OBJECT)
    switch (`${call.method} ${parent ? ':id/comments' : path}`) {
      case `GET ${PAGE_ID}`:
        checkFields('page', call)
        return { status: 200, body: { id: PAGE_ID, name: PAGE_NAME, username: 'metricsaurus' } }
      case `POST ${PAGE_ID}/feed`:
        return postFeed(call)
      case `GET ${PAGE_ID}/feed`:
        return getFeed(call)
      case `POST ${PAGE_ID}/photos`:
        return postPhoto(call)
      case `POST ${PAGE_ID}/photo_stories`:
        return postPhotoStory(call)
      case `GET ${PAGE_ID}/stories`:
        return getStories(call)
      case 'POST :id/comments':
        return postComment(parent, call)
      case 'GET :id/comments':
        return getComments(parent, call)
      default:
        return /^\d+(?:_\d+)?$/.test(path) ? callObject(path, call) : refuse(100, UNSUPPORTED, UNKNOWN_OBJECT)
    }
  }

  const fake: FakeFacebook = {
    ...(await startFake(t, ORIGINS, respond)),
    video: videosOf({
      pageId: PAGE_ID,
      nextId,
      createStory,
      needs: (...names) => needs(fake.scopes, ...names),
      publishesAgain: () => fake.publishesAgain,
    }),
    login: loginOf(),
    credentials: { pageId: PAGE_ID, accessToken: PAGE_TOKEN, appId: APP_ID },
    scopes: new Set([
      'pages_show_list',
      'pages_manage_posts',
      'pages_read_engagement',
      'pages_read_user_content',
      'pages_manage_engagement',
    ]),
    tokenSubcode: null,
    posts,
    photos,
    stories,
    comments,
    listedAfterMs: 0,
    publishesAgain: true,
    refusesRepeats: false,
    hidesPhotoIds: false,
    locked: new Set(),
    setTime: (time) => {
      clock = () => time
    },
    post: (message, options) => createPost({ message, appId: '1', ...options }),
    visibleIds: () => [
      ...posts.filter(({ isPublished }) => isPublished).map(({ id }) => id),
      ...stories.filter(({ mediaId }) => !fake.video.hasFailed(mediaId)).map(({ postId }) => postId),
      ...fake.video.liveIds(),
    ],
  }
  return fake
}

const UNSUPPORTED = 'Unsupported request. Object does not exist, cannot be loaded due to missing permissions'
const UNKNOWN_OBJECT = { type: 'GraphMethodException', error_subcode: 33 }

const permalinkOf = (id: string) => `https://www.facebook.com/${id.replace('_', '/posts/')}`

const shownStory = ({ postId, mediaId, mediaType, createdAt }: Story) => ({
  post_id: postId,
  status: 'PUBLISHED',
  creation_time: String(Math.floor(createdAt.getTime() / 1000)),
  media_type: mediaType,
  media_id: mediaId,
  url: `https://facebook.com/stories/${postId}`,
})

/** The header, or the parameter of the form or the query. */
function checkToken({ headers, query, body, host }: Recorded, subcode: number | null): void {
  const { authorization = '' } = headers
  const scheme = host === 'rupload.facebook.com' ? /^OAuth (.+)$/ : /^(?:Bearer|OAuth) (.+)$/
  const token =
    scheme.exec(authorization)?.[1] ?? query.access_token ?? (body as { access_token?: string })?.access_token
  if (token !== PAGE_TOKEN) refuse(190, 'Invalid OAuth access token - Cannot parse access token', {}, 401)
  if (subcode !== null) refuse(190, 'Error validating access token', { error_subcode: subcode }, 400)
}

export const facebookScene: Scene<FakeFacebook> = {
  start: startFacebook,
  origins: ['https://graph.facebook.com', 'https://graph-video.facebook.com', 'https://rupload.facebook.com'],
  account: (facebook) => ({ username: 'metricsaurus', credentials: facebook.credentials }),
  countVisible: (facebook) => facebook.visibleIds().length + facebook.comments.length,
  published: (facebook) => {
    const find = (id: string) => [...facebook.posts, ...facebook.comments].find((object) => object.id === id)
    const findVideo = (id: string) => facebook.video.videos.get(id)
    return {
      textOf(id) {
        if (facebook.stories.some(({ postId }) => postId === id)) return ''
        return find(id) ? find(id)!.message : findVideo(id)?.finished?.description
      },
      editsOf: (id) => find(id)?.edits ?? findVideo(id)?.edits ?? 0,
      remove: (id) => void facebook.posts.splice(facebook.posts.indexOf(find(id) as Post), 1),
    }
  },
  controls: (facebook) => ({
    limited: throttled,
    unauthorized: [401],
    secret: facebook.credentials.accessToken,
    revokeToken: () => set(facebook, { tokenSubcode: 458 }),
    expireToken: () => set(facebook, { tokenSubcode: 463 }),
    showLate: () => set(facebook, { listedAfterMs: LATE_MS }),
    processes: has('video'),
    process: (looks) => set(facebook.video, { processing: looks === 'fails' ? 'The video is damaged' : looks }),
  }),
}
