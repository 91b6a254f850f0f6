import { type Recorded, Refused, type Reply } from './network.ts'
import type { FakeRedditState, RedditPost, Subreddit } from './reddit.ts'
import type { RedditAsset } from './reddit-media.ts'
import { forbidden, jquery, notFound, refuse, refuseByRules } from './reddit-replies.ts'

type Form = Record<string, string>

/** The parameters of https://www.reddit.com/dev/api#POST_api_submit that publishers use. */
const PARAMETERS = ['api_type', 'kind', 'sr', 'title', 'text', 'url', 'video_poster_url', 'flair_id', 'flair_text']
const FLAGS = ['nsfw', 'spoiler', 'sendreplies', 'resubmit', 'validate_on_submit']
const GALLERY_PARAMETERS = [...PARAMETERS.filter((name) => !/kind|url/.test(name)), 'items', 'show_error_list']

const TEXT_LENGTH_MAX = 40_000
const COMMENT_LENGTH_MAX = 10_000

/**
 * Posts and comments. Refusals have the words of
 * https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/errors.py.
 */
export function servePosts(state: FakeRedditState) {
  const { user, subreddits, posts, comments, media } = state

  function checkPace(): void {
    const { breakMinutes } = state.switches
    if (breakMinutes === null) return
    const words = `Looks like you've been doing that a lot. Take a break for ${breakMinutes} minutes before trying again.`
    refuse('RATELIMIT', words, 'ratelimit')
  }

  function checkNames(form: object, known: readonly string[]): void {
    const unknown = Object.keys(form).find((name) => !known.includes(name))
    if (unknown) throw new Error(`${unknown} is not a parameter`)
  }

  function findSubreddit(name = ''): Subreddit {
    const subreddit = subreddits.get(name.toLowerCase())
    if (!subreddit || state.switches.hidesSubreddits-- > 0) {
      return refuse('SUBREDDIT_NOEXIST', "that subreddit doesn't exist", 'sr')
    }
    if (subreddit.isPrivate) forbidden('private')
    return subreddit
  }

  /** Checks the fields that every kind of post has. */
  function checkPost(form: Form): Subreddit {
    if (form.api_type !== 'json') jquery()
    const subreddit = findSubreddit(form.sr)
    checkPace()
    if (!form.title?.trim()) refuse('NO_TEXT', 'we need something here', 'title')
    if ([...form.title!].length > 300) refuse('TOO_LONG', 'this is too long (max: 300)', 'title')
    if ([...(form.text ?? '')].length > TEXT_LENGTH_MAX) refuse('TOO_LONG', 'this is too long (max: 40000)', 'text')
    if ([...(form.flair_text ?? '')].length > 64) refuse('TOO_LONG', 'this is too long (max: 64)', 'flair_text')
    const flair = subreddit.flairs.find(({ id }) => id === form.flair_id)
    // https://github.com/praw-dev/praw/issues/870
    if (form.flair_id && !/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(form.flair_id)) {
      throw new Refused({ status: 500, body: { message: 'Internal Server Error', error: 500 } })
    }
    if (form.flair_id && !flair) refuse('INVALID_OPTION', 'that option is not valid', 'flair_id')
    if (form.flair_text && !flair?.isTextEditable) forbidden('flair')
    const mustHaveFlair = subreddit.isFlairRequired && String(form.validate_on_submit) === 'true'
    if (mustHaveFlair && !form.flair_id) {
      refuseByRules('flair', 'SUBMIT_VALIDATION_FLAIR_REQUIRED', 'Your post must contain post flair.')
    }
    return subreddit
  }

  function add(form: Form, subreddit: Subreddit, rest: Partial<RedditPost>): RedditPost {
    const id = state.nextId()
    // https://github.com/reddit-archive/reddit/blob/master/r2/r2/controllers/api.py (POST_submit)
    const title = form.title!.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
    const slug = title.toLowerCase().replaceAll(/\W+/g, '_').slice(0, 50)
    const permalink = `/r/${subreddit.name}/comments/${id}/${slug}/`
    const post: RedditPost = {
      id,
      name: `t3_${id}`,
      author: user.name,
      subreddit: subreddit.name,
      title,
      selftext: form.text ?? '',
      permalink,
      url: `https://www.reddit.com${permalink}`,
      isSelf: false,
      assets: [],
      isGallery: false,
      createdAt: state.clock(),
      shownAt: state.clock() + state.switches.showsAfterMs,
      looksLeft: 0,
      form,
      edits: 0,
      ...rest,
    }
    posts.unshift(post)
    return post
  }

  /** `POST /api/submit` */
  function submit({ body }: Recorded): Reply {
    const form = (body ?? {}) as Form
    checkNames(form, [...PARAMETERS, ...FLAGS])
    const subreddit = checkPost(form)
    if (form.kind === 'self') {
      if (subreddit.submissionType === 'link') refuse('NO_SELFS', "that subreddit doesn't allow text posts", 'sr')
      if (form.url) refuse('BAD_URL', 'you should check that url', 'url')
      return accept(add(form, subreddit, { isSelf: true }))
    }
    if (subreddit.submissionType === 'self') refuse('NO_LINKS', 'that subreddit only allows text posts', 'sr')
    if (form.kind === 'link') {
      if (!form.url) refuse('NO_URL', 'a url is required', 'url')
      const isKnown = posts.some((post) => post.subreddit === subreddit.name && post.url === form.url)
      if (isKnown && form.resubmit !== 'true') {
        refuse('ALREADY_SUB', 'that link has already been submitted', 'url')
      }
      return accept(add(form, subreddit, { url: form.url! }))
    }
    if (!['image', 'video', 'videogif'].includes(form.kind ?? '')) {
      refuse('INVALID_OPTION', 'that option is not valid', 'kind')
    }
    return submitFile(form, subreddit, form.kind === 'image')
  }

  function submitFile(form: Form, subreddit: Subreddit, isImage: boolean): Reply {
    if (isImage && !subreddit.allowImages) refuse('NO_IMAGES', "This community doesn't allow images", 'sr')
    if (!isImage && !subreddit.allowVideos) refuse('NO_VIDEOS', "This community doesn't allow videos", 'sr')
    const asset = media.findUploaded(form.url)
    const isRight = asset?.mimeType.startsWith(isImage ? 'image/' : 'video/')
    if (!asset || !isRight) refuse('BAD_URL', 'you should check that url', 'url')
    const poster = media.findUploaded(form.video_poster_url)
    if (!isImage && !poster?.mimeType.startsWith('image/')) refuse('BAD_URL', 'you should check that url', 'url')
    addFile(form, subreddit, asset!, isImage)
    const page = `https://www.reddit.com/user/${user.name}/submitted/`
    const socket = `wss://k8s-lb.wss.redditmedia.com/${asset!.id}?m=AQAA5dAZ`
    return { status: 200, body: { json: { errors: [], data: { user_submitted_page: page, websocket_url: socket } } } }
  }

  /** The post is there when its file has been processed: never, if that fails. */
  function addFile(form: Form, subreddit: Subreddit, asset: RedditAsset, isImage: boolean): void {
    const { processing } = state.switches
    if (processing === 'fails') return
    const extension = asset.fields.find(({ name }) => name === 'x-amz-meta-ext')!.value
    const url = isImage ? `https://i.redd.it/${asset.id}.${extension}` : `https://v.redd.it/${asset.id}`
    add(form, subreddit, { url, assets: [asset.id], looksLeft: processing })
  }

  const accept = ({ id, name, permalink }: RedditPost): Reply => ({
    status: 200,
    body: { json: { errors: [], data: { url: `https://www.reddit.com${permalink}`, drafts_count: 0, id, name } } },
  })

  /** `POST /api/submit_gallery_post.json`, which takes JSON. */
  function submitGallery({ body, headers }: Recorded): Reply {
    if (headers['content-type'] !== 'application/json') throw new Error('a gallery is JSON')
    const { items = [], ...form } = body as { items?: { media_id: string; caption: string; outbound_url: string }[] }
    checkNames(body as object, [...GALLERY_PARAMETERS, ...FLAGS.filter((name) => name !== 'resubmit')])
    const subreddit = checkPost(form as Form)
    if (!subreddit.allowGalleries) {
      refuse('GALLERIES_DISABLED', "Gallery posts aren't allowed in this subreddit", 'sr')
    }
    const files = items.map(({ media_id: id }) => media.assets.get(id))
    const isRight = files.every((file) => file?.bytes && file.mimeType.startsWith('image/'))
    if (!isRight || files.length < 2 || files.length > 20) refuse('BAD_GALLERY', 'the gallery is not valid', 'items')
    if (items.some(({ caption }) => caption.length > 180)) refuse('TOO_LONG', 'this is too long (max: 180)', 'items')
    const post = add(form as Form, subreddit, { assets: files.map((file) => file!.id), isGallery: true })
    post.url = `https://www.reddit.com/gallery/${post.id}`
    const data = { url: `https://www.reddit.com${post.permalink}`, id: post.name }
    return { status: 200, body: { json: { errors: [], data } } }
  }

  /** `POST /api/comment` */
  function comment({ body }: Recorded): Reply {
    const { api_type: type, thing_id: parentId = '', text = '', ...others } = (body ?? {}) as Form
    checkNames(others, [])
    if (type !== 'json') jquery()
    checkPace()
    const parent = posts.find(({ name }) => name === parentId)
    if (!parent) return notFound()
    if (text.trim() === '') refuse('NO_TEXT', 'we need something here', 'text')
    if ([...text].length > COMMENT_LENGTH_MAX) refuse('TOO_LONG', 'this is too long (max: 10000)', 'text')
    const id = state.nextId()
    const made = {
      id,
      name: `t1_${id}`,
      author: user.name,
      parentId,
      body: text,
      permalink: `${parent.permalink}${id}/`,
      createdAt: state.clock(),
      shownAt: state.clock() + state.switches.showsAfterMs,
      edits: 0,
    }
    comments.unshift(made)
    const things = [{ kind: 't1', data: state.shownComment(made) }]
    return { status: 200, body: { json: { errors: [], data: { things } } } }
  }

  return { submit, submitGallery, comment }
}
