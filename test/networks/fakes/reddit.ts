import type { Teardown } from '../../helpers/database.ts'
import { type Recorded, Refused, type Reply, startFake } from './network.ts'
import { DELETED, serveChanges } from './reddit-changes.ts'
import { createMedia, STORAGES } from './reddit-media.ts'
import { createAuthorization } from './reddit-oauth.ts'
import { servePosts } from './reddit-posts.ts'
import { limitHeaders, notFound, outOfScope, page, throttled, unauthorized } from './reddit-replies.ts'
import { serveSubreddits } from './reddit-subreddits.ts'
import { HOUR_MS, LATE_MS, type Scene, set } from './scene.ts'

export interface Subreddit {
  name: string
  title: string
  submissionType: 'any' | 'self' | 'link'
  allowImages: boolean
  allowVideos: boolean
  allowGalleries: boolean
  isNsfw: boolean
  isPrivate: boolean
  isFlairRequired: boolean
  isModerated: boolean
  isJoined: boolean
  isBanned: boolean
  flairs: { id: string; text: string; isTextEditable: boolean }[]
  rules: { name: string; description: string; kind: string }[]
}

export interface RedditPost {
  id: string
  /** The full name. */
  name: string
  author: string
  subreddit: string
  title: string
  selftext: string
  permalink: string
  url: string
  isSelf: boolean
  /** Ids of its files. */
  assets: string[]
  isGallery: boolean
  /** In milliseconds since 1970. */
  createdAt: number
  /** When lists show it. */
  shownAt: number
  /** How often its author's list is read until its file is processed. */
  looksLeft: number
  /** The parameters of the request. */
  form: Record<string, unknown>
  edits: number
}

export interface RedditComment {
  id: string
  name: string
  author: string
  parentId: string
  body: string
  permalink: string
  createdAt: number
  shownAt: number
  edits: number
}

/** The state that the parts of the fake share. */
export interface FakeRedditState {
  user: { id: string; name: string }
  /** By their names in lower case. */
  subreddits: Map<string, Subreddit>
  /** Newest first. */
  posts: RedditPost[]
  comments: RedditComment[]
  media: ReturnType<typeof createMedia>
  switches: {
    /** How long after its creation a list shows a post or a comment. */
    showsAfterMs: number
    /** How often its author's list is read until the file of a post is processed, or that it fails. */
    processing: number | 'fails'
    /** For how many minutes the account may not post. */
    breakMinutes: number | null
    /** Number of posts for which Reddit says that their subreddit does not exist. */
    hidesSubreddits: number
    /** Reddit has blocked the app. */
    isBlocked: boolean
    /** The most items of one page: Reddit may leave some out, and more follow all the same. */
    pageSizeMax: number
    /** A filter has removed each post: only its author sees it. */
    isFiltered: boolean
    /** Galleries are listed without their items. */
    hidesGalleryItems: boolean
    /** How far Reddit's clock is ahead of ours. */
    clockAheadMs: number
    /** Reddit says that it has deleted something, and deletes nothing. */
    keepsDeleted: boolean
  }
  clock(): number
  nextId(): string
  shownComment(comment: RedditComment): object
}

const API = 'https://oauth.reddit.com'
const WWW = 'https://www.reddit.com'
/** Requests in ten minutes. */
const REQUESTS_MAX = 1000
const WINDOW_SECONDS = 600

/** https://support.reddithelp.com/hc/en-us/articles/16160319875092 */
const USER_AGENT = /^[\w-]+:[\w.-]+:v\d[\w.]*(?: \(by \/u\/[\w-]{3,20}\))?$/

/** https://www.reddit.com/dev/api */
const SCOPES: Record<string, string> = {
  'GET /api/v1/me': 'identity',
  'POST /api/submit': 'submit',
  'POST /api/submit_gallery_post.json': 'submit',
  'POST /api/media/asset.json': 'submit',
  'POST /api/comment': 'submit',
  'POST /api/del': 'edit',
  'POST /api/editusertext': 'edit',
  'GET /api/info': 'read',
  'GET /api/v1/:subreddit/post_requirements': 'submit',
  'GET /user/:name/submitted': 'history',
  'GET /user/:name/comments': 'history',
  'GET /r/:subreddit/about': 'read',
  'GET /r/:subreddit/about/rules': 'read',
  'POST /r/:subreddit/api/flairselector': 'flair',
  'GET /subreddits/mine/moderator': 'mysubreddits',
  'GET /subreddits/mine/subscriber': 'mysubreddits',
}

const SUBREDDIT: Omit<Subreddit, 'name' | 'title'> = {
  submissionType: 'any',
  allowImages: true,
  allowVideos: true,
  allowGalleries: true,
  isNsfw: false,
  isPrivate: false,
  isFlairRequired: false,
  isModerated: false,
  isJoined: true,
  isBanned: false,
  flairs: [],
  rules: [],
}

type FakeReddit = Awaited<ReturnType<typeof startReddit>>

/**
 * Reddit with one user and one app. It has the shapes of the traffic that https://github.com/praw-dev/praw and
 * https://github.com/praw-dev/prawcore record: test/platforms/reddit.recorded.test.ts. Everything else is as in
 * the source of 2017, https://github.com/reddit-archive/reddit.
 */
export async function startReddit(t: Teardown) {
  let clock = () => Date.now()
  let ids = 36 ** 6
  let used = 0
  const media = createMedia(() => clock())
  const authorization = createAuthorization(() => clock())
  const user = { id: '75u2lqkb', name: 'ada_l' }
  const state: FakeRedditState = {
    user,
    subreddits: new Map(),
    posts: [],
    comments: [],
    media,
    switches: {
      showsAfterMs: 0,
      processing: 0,
      breakMinutes: null,
      hidesSubreddits: 0,
      isBlocked: false,
      pageSizeMax: 100,
      isFiltered: false,
      hidesGalleryItems: false,
      clockAheadMs: 0,
      keepsDeleted: false,
    },
    clock: () => clock() + state.switches.clockAheadMs,
    nextId: () => (++ids).toString(36),
    shownComment: ({ id, name, author, parentId, body, permalink, createdAt }) => {
      const at = Math.floor(createdAt / 1000)
      return { id, name, author, parent_id: parentId, link_id: parentId, body, permalink, created_utc: at, replies: '' }
    },
  }
  const addSubreddit = (name: string, rest: Partial<Subreddit> = {}) => {
    const subreddit = { ...SUBREDDIT, name, title: `All about ${name}`, ...rest }
    state.subreddits.set(name.toLowerCase(), subreddit)
    return subreddit
  }
  addSubreddit('lighthouses', {
    isModerated: true,
    flairs: [
      { id: 'ca999154-c1b0-11e7-b30b-0eb8423d5ed8', text: 'Photo', isTextEditable: false },
      { id: '865ba524-692d-11e9-9811-0e2f1d7746a8', text: 'Question', isTextEditable: true },
    ],
    rules: [{ name: 'Be kind', description: 'To *everybody*.', kind: 'all' }],
  })
  const posts = servePosts(state)
  const changes = serveChanges(state)
  const reads = serveSubreddits(state)

  const api = (call: Recorded): Reply => {
    const path = call.path
      .replace(`/user/${user.name}/`, '/user/:name/')
      .replace(/^\/r\/[\w-]+\//, '/r/:subreddit/')
      .replace(/^\/api\/v1\/[\w-]+\/post/, '/api/v1/:subreddit/post')
    const name = `${call.method} ${path}`
    const caller = authorization.callerOf(call) ?? unauthorized()
    const scope = SCOPES[name] ?? notFound()
    if (!caller.scopes.includes(scope)) outOfScope()
    switch (name) {
      case 'POST /api/submit':
        return posts.submit(call)
      case 'POST /api/submit_gallery_post.json':
        return posts.submitGallery(call)
      case 'POST /api/comment':
        return posts.comment(call)
      case 'POST /api/del':
        return changes.remove(call)
      case 'POST /api/editusertext':
        return changes.edit(call)
      case 'GET /api/info':
        return changes.info(call)
      case 'POST /api/media/asset.json':
        return media.lease(call)
      default:
        return reads(name, call)
    }
  }

  const respond = (call: Recorded): Reply => {
    const origin = `https://${call.host}`
    if (origin === STORAGES.image || origin === STORAGES.video) return media.store(call)
    if (!USER_AGENT.test(call.headers['user-agent'] ?? '')) page(429, 'Too Many Requests')
    if (state.switches.isBlocked) page(403, 'Blocked')
    if (origin === WWW) {
      if (call.method === 'POST' && call.path === '/api/v1/access_token') return authorization.token(call)
      if (call.method === 'POST' && call.path === '/api/v1/revoke_token') return authorization.revoke(call)
      return page(403, 'Blocked')
    }
    if (used >= REQUESTS_MAX) return throttled(WINDOW_SECONDS)
    const date = new Date(Date.now() + state.switches.clockAheadMs).toUTCString()
    const headers = { date, ...limitHeaders(++used, REQUESTS_MAX - used, WINDOW_SECONDS) }
    try {
      const reply = api(call)
      return { ...reply, headers: { ...headers, ...reply.headers } }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return { ...error.reply, headers: { ...headers, ...error.reply.headers } }
    }
  }

  const { accessToken, refreshToken, grant } = authorization.grant()
  const fake = await startFake(t, [API, WWW, STORAGES.image, STORAGES.video], respond)
  return Object.assign(fake, {
    ...state,
    authorization,
    grant,
    addSubreddit,
    credentials: { accessToken, refreshToken, username: user.name, clientId: authorization.app.clientId },
    setTime(time: Date) {
      clock = () => time.getTime()
    },
    /** Leaves the app this many requests. */
    leaveRequests(left: number) {
      used = REQUESTS_MAX - left
    },
  })
}

export const redditScene: Scene<FakeReddit> = {
  start: startReddit,
  origins: ['https://oauth.reddit.com', 'https://www.reddit.com', STORAGES.image, STORAGES.video],
  account: (reddit) => ({ username: reddit.user.name, credentials: reddit.credentials }),
  countVisible: ({ posts, comments }) => [...posts, ...comments].filter(({ author }) => author !== DELETED).length,
  published: (reddit) => {
    const find = (id: string) => [...reddit.posts, ...reddit.comments].find(({ name }) => name === id)
    return {
      textOf: (id) => {
        const thing = find(id)
        if (!thing || thing.author === DELETED) return undefined
        return 'selftext' in thing ? thing.selftext : thing.body
      },
      editsOf: (id) => find(id)?.edits ?? 0,
      remove: (id) => void Object.assign(find(id)!, { author: DELETED }),
    }
  },
  fields: { subreddit: 'lighthouses' },
  knownFields: { subreddit: ['lighthouses'], flairId: ['865ba524-692d-11e9-9811-0e2f1d7746a8'] },
  controls: (reddit, time) => ({
    limited: throttled,
    secret: reddit.credentials.accessToken,
    // A 403 is about the subreddit.
    unauthorized: [401],
    revokeToken: () => set(reddit.grant, { isRevoked: true }),
    // A token works for a day.
    expireToken() {
      reddit.setTime(new Date(time.now.getTime() + 24 * HOUR_MS))
      return () => reddit.setTime(time.now)
    },
    showLate: () => set(reddit.switches, { showsAfterMs: LATE_MS }),
    processes: (kind) => kind.postType !== 'carousel' && kind.files.length > 0,
    process: (processing) => set(reddit.switches, { processing }),
    hidesFailures: true,
  }),
}
