import { countLength } from '../../../src/platforms/rules/text-length.ts'
import type { Teardown } from '../../helpers/database.ts'
import { durationOf } from './files.ts'
import { type Recorded, type Reply, startFake } from './network.ts'
import { HOUR_MS, has, LATE_MS, type Scene, set } from './scene.ts'
import { createMedia } from './x-media.ts'
import { createAuthorization } from './x-oauth.ts'
import * as refuse from './x-replies.ts'
import { throttled } from './x-replies.ts'
import { displayed } from './x-text.ts'

export interface Post {
  id: string
  authorId: string
  /** As it was sent. */
  sent: string
  created_at: string
  conversation_id: string
  referenced_tweets: { type: 'replied_to' | 'quoted'; id: string }[]
  media: string[]
  /** The body of the request. */
  body: Record<string, unknown>
  /** When the timeline shows it, in milliseconds since 1970. */
  shownAt: number
  isDeleted: boolean
  /** Ids of its versions, oldest first; the same list for each of them. */
  versions: string[]
}

/** The fields of a request's body that the fake reads. */
interface Body {
  text: string
  poll: object
  media: { media_ids: string[] }
  quote_tweet_id: string
  reply: { in_reply_to_tweet_id: string }
  edit_options: { previous_post_id: string }
}

const ORIGIN = 'https://api.x.com'
const EPOCH_MS = 1_288_834_974_657n
const WINDOW_MS = 900_000
const CREATES_MAX = 100
const DUPLICATE_MS = 43_200_000
const EDITABLE_MS = 1_800_000
const EDITS_MAX = 5

/** As https://github.com/twitter/twitter-text/blob/master/js/src/regexp/validCashtag.js */
const CASHTAGS = /(?<=^|\s)\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|\s|[!-/:-@[-`{-~])/gi

const READ = ['tweet.read', 'users.read']

/** The scopes of each operation: https://docs.x.com/openapi.json */
const SCOPES: Record<string, readonly string[]> = {
  'POST /2/tweets': [...READ, 'tweet.write'],
  'GET /2/tweets': READ,
  'DELETE /2/tweets/:id': [...READ, 'tweet.write'],
  'GET /2/users/:id/tweets': READ,
  'GET /2/users/me': READ,
  'POST /2/media/upload': ['media.write'],
  'GET /2/media/upload': ['media.write'],
  'POST /2/media/upload/initialize': ['media.write'],
  'POST /2/media/upload/:id/append': ['media.write'],
  'POST /2/media/upload/:id/finalize': ['media.write'],
  'POST /2/media/metadata': ['media.write'],
}

const REPLY_RULE = 'You can only reply to or quote posts where you are mentioned or are the author.'

export type FakeX = Awaited<ReturnType<typeof startX>>

/**
 * X as https://docs.x.com/openapi.json (version 2.167) and the guides at https://docs.x.com describe it, with one user
 * and one app of the package Pay-per-use. Refusals that the pages do not show are those that publishers have reported.
 */
export async function startX(t: Teardown) {
  let clock = () => new Date()
  const now = () => clock().getTime()
  let ids = 0n
  /** Ids begin with the time, and are larger than 2^53. */
  const nextId = () => String(((BigInt(now()) - EPOCH_MS) << 22n) + ++ids)
  const user = {
    id: '2244994945000000001',
    username: 'ada_l',
    name: 'Ada Lovelace',
    subscription_type: 'None',
    verified_type: 'none',
  }
  /** Newest first. */
  const posts: Post[] = []
  const creates: number[] = []
  const media = createMedia(nextId, () => clock())
  const authorization = createAuthorization(user.id, () => clock())

  const create = (authorId: string, body: Record<string, unknown>): Post => {
    const id = nextId()
    const { reply, quote_tweet_id: quoted, media: attached, text: sent = '' } = body as Partial<Body>
    const parent = posts.find((post) => post.id === reply?.in_reply_to_tweet_id)
    const post: Post = {
      id,
      authorId,
      sent,
      created_at: new Date(now()).toISOString(),
      conversation_id: parent?.conversation_id ?? id,
      referenced_tweets: [
        ...(parent ? [{ type: 'replied_to' as const, id: parent.id }] : []),
        ...(quoted ? [{ type: 'quoted' as const, id: quoted }] : []),
      ],
      media: attached?.media_ids ?? [],
      body,
      shownAt: now() + switches.showsAfterMs,
      isDeleted: false,
      versions: [id],
    }
    posts.unshift(post)
    return post
  }

  /** https://docs.x.com/x-api/posts/create-post */
  const createPost = ({ body: given }: Recorded): Reply => {
    while (creates[0] !== undefined && creates[0] <= now() - WINDOW_MS) creates.shift()
    const resetAt = new Date((creates[0] ?? now()) + WINDOW_MS)
    if (creates.length >= CREATES_MAX) return refuse.throttled(resetAt)
    creates.push(now())
    refuse.validate('post', given)
    const body = (given ?? {}) as Record<string, unknown>
    const { text = '', poll, media: attached, quote_tweet_id: quoted, reply } = body as Partial<Body>
    const mediaIds: string[] = attached?.media_ids ?? []
    if (text.trim() === '' && mediaIds.length === 0) refuse.invalid('text', text, 'text is required')
    if (poll && (mediaIds.length > 0 || quoted)) refuse.invalid('poll', '', 'poll excludes media and quote_tweet_id')
    if (quoted && mediaIds.length > 0) refuse.invalid('quote_tweet_id', quoted, 'quote_tweet_id excludes media')
    checkMedia(mediaIds)
    for (const id of [reply?.in_reply_to_tweet_id, quoted]) if (id !== undefined) checkTarget(id)
    const lengthMax = user.subscription_type === 'None' ? 280 : 25_000
    if (countLength(text, 'x') > lengthMax) refuse.forbidden('You are not permitted to perform this action.')
    // https://github.com/twitter/twitter-text/blob/master/js/src/hasInvalidCharacters.js
    if (/[\uFEFF\uFFFE\uFFFF]/.test(text)) refuse.invalid('text', text, 'text has invalid characters')
    if ((text.match(CASHTAGS) ?? []).length > 1) {
      refuse.forbidden('Posts are limited to a maximum of one cashtag')
    }
    // Deleted posts count too.
    const isSame = (post: Post) =>
      post.authorId === user.id && post.sent === text && Date.parse(post.created_at) > now() - DUPLICATE_MS
    if (text !== '' && posts.some(isSame)) {
      refuse.forbidden('You are not allowed to create a Tweet with duplicate content.')
    }
    const before = findEditable((body as Partial<Body>).edit_options?.previous_post_id)
    const post = create(user.id, body)
    const { id, sent } = post
    if (before) {
      before.versions.push(id)
      Object.assign(post, { versions: before.versions, conversation_id: before.conversation_id })
    }
    const headers = refuse.limitHeaders('x-rate-limit', CREATES_MAX, CREATES_MAX - creates.length, resetAt)
    return { status: 201, headers, body: { data: { id, text: sent, edit_history_tweet_ids: post.versions } } }
  }

  /** https://docs.x.com/x-api/fundamentals/edit-posts */
  function findEditable(id: string | undefined): Post | undefined {
    if (id === undefined) return undefined
    const post = posts.find((each) => each.id === id && !each.isDeleted)
    if (!post || post.authorId !== user.id) return refuse.forbidden('You are not permitted to perform this action.')
    const first = posts.find((each) => each.id === post.versions[0])!
    const isLate = Date.parse(first.created_at) < now() - EDITABLE_MS
    const isEditable = user.subscription_type !== 'None' && !isLate && post.versions.length <= EDITS_MAX
    return isEditable && post.body.poll === undefined
      ? post
      : refuse.forbidden('You are not permitted to perform this action.')
  }

  /** https://docs.x.com/x-api/posts/delete-post: all versions of an edited post. */
  const deletePost = (id: string): Reply => {
    const post = posts.find((each) => each.id === id && !each.isDeleted)
    if (!post) return refuse.postNotFound(id)
    if (post.authorId !== user.id) refuse.forbidden('You are not authorized to delete this Tweet.')
    for (const version of posts) if (post.versions.includes(version.id)) version.isDeleted = true
    return { status: 200, body: { data: { deleted: true } } }
  }

  /** https://docs.x.com/x-api/posts/get-posts-by-ids */
  const readPosts = ({ query }: Recorded): Reply => {
    const ids = (query.ids ?? '').split(',')
    const found = ids.flatMap((id) => posts.find((post) => post.id === id && !post.isDeleted) ?? [])
    switches.postsRead += found.length
    const data = found.map((post) => shown(post, (query['tweet.fields'] ?? '').split(',')))
    const errors = ids.filter((id) => !found.some((post) => post.id === id)).map(refuse.missing)
    return { status: 200, body: { ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) } }
  }

  function checkMedia(ids: string[]): void {
    const files = ids.map((id) => media.uploads.get(id))
    for (const [index, file] of files.entries()) {
      const isUsable = file?.isOwn && file.state === 'succeeded' && file.expiresAt > now()
      if (!isUsable) refuse.invalid('media.media_ids', ids[index], 'Your media IDs are invalid.')
    }
    const minutesMax = user.subscription_type === 'None' && user.verified_type === 'none' ? 20 : 125
    const isLong = files.some((file) => (durationOf(Buffer.concat(file!.chunks)) ?? 0) > minutesMax * 60)
    // https://docs.x.com/x-api/media/quickstart/best-practices#posting-errors
    if (isLong) refuse.forbidden(`This user is not allowed to post a video longer than ${minutesMax} minutes.`)
    const isMixed = files.length > 1 && files.some((file) => file!.category !== 'tweet_image')
    if (isMixed) refuse.forbidden('You are not permitted to perform this action.')
  }

  /** https://docs.x.com/x-api/posts/manage-tweets/integrate */
  function checkTarget(id: string): void {
    const target = posts.find((post) => post.id === id && !post.isDeleted)
    if (!target) refuse.forbidden('You attempted to reply to a Tweet that is deleted or not visible to you.')
    const isSummoned = target?.authorId === user.id || target?.sent.includes(`@${user.username}`)
    if (!isSummoned) refuse.forbidden(REPLY_RULE, 'not-authorized-for-resource')
  }

  /** https://docs.x.com/x-api/posts/timelines/integrate */
  const readTimeline = ({ query }: Recorded): Reply => {
    refuse.validate('timeline', query)
    const since = Date.parse(query.start_time ?? '1970-01-01T00:00:00Z')
    const isReply = ({ referenced_tweets: references }: Post) => references.some(({ type }) => type === 'replied_to')
    const found = posts.filter(
      (post) =>
        post.authorId === user.id &&
        !post.isDeleted &&
        post.shownAt <= now() &&
        Date.parse(post.created_at) >= since &&
        !(query.exclude?.includes('replies') && isReply(post)),
    )
    const page = found.slice(0, Number(query.max_results ?? 10))
    switches.postsRead += page.length
    const fields = (query['tweet.fields'] ?? query['post.fields'] ?? '').split(',')
    const data = page.map((post) => shown(post, fields))
    const next = page.length < found.length && { next_token: 'next' }
    return { status: 200, body: { ...(data.length > 0 && { data }), meta: { result_count: data.length, ...next } } }
  }

  /** https://docs.x.com/x-api/fundamentals/data-dictionary */
  function shown(post: Post, fields: string[]): object {
    const { text, urls } = switches.changesTexts ? displayed(post, user.username) : { text: post.sent, urls: [] }
    const isLong = countLength(post.sent, 'x') > 280
    const mediaKeys = post.media.map((id) => (switches.keepsMediaKeys ? media.uploads.get(id)!.mediaKey : `3_${id}9`))
    const all: Record<string, unknown> = {
      created_at: post.created_at,
      conversation_id: post.conversation_id,
      ...(urls.length > 0 && { entities: { urls } }),
      ...(isLong && { note_tweet: { text, entities: { urls } } }),
      ...(post.referenced_tweets.length > 0 && { referenced_tweets: post.referenced_tweets }),
      ...(mediaKeys.length > 0 && { attachments: { media_keys: mediaKeys } }),
      ...(post.body.poll !== undefined && { attachments: { poll_ids: [`1${post.id.slice(1)}`] } }),
    }
    const asked = Object.fromEntries(fields.filter((name) => name in all).map((name) => [name, all[name]]))
    return {
      id: post.id,
      text: isLong ? `${text.slice(0, 270)}…` : text,
      edit_history_tweet_ids: post.versions,
      ...asked,
    }
  }

  const readUser = ({ query }: Recorded): Reply => {
    refuse.validate('me', query)
    const { id, name, username, subscription_type, verified_type } = user
    const all = { subscription_type, verified_type, profile_image_url: 'https://pictures.invalid/ada_normal.jpg' }
    const fields = query['user.fields']?.split(',') ?? []
    const asked = Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name)))
    return { status: 200, body: { data: { id, name, username, ...asked } } }
  }

  const respond = (call: Recorded): Reply => {
    const [, id = ''] = /^\/2\/(?:users|tweets|media\/upload)\/(\d+)/.exec(call.path) ?? []
    const name = `${call.method} ${call.path.replace(id || '-', ':id')}`
    if (name === 'POST /2/oauth2/token') return authorization.token(call)
    if (name === 'POST /2/oauth2/revoke') return authorization.revoke(call)
    const caller = authorization.callerOf(call) ?? refuse.unauthorized()
    if (!SCOPES[name]) return refuse.notFound()
    if (!SCOPES[name].every((scope) => caller.scopes.includes(scope))) refuse.forbidden()
    if (!switches.isEnrolled) refuse.notEnrolled()
    if (!switches.hasCredit) refuse.outOfCredit()
    switch (name) {
      case 'POST /2/tweets':
        return createPost(call)
      case 'GET /2/users/:id/tweets':
        return id === user.id ? readTimeline(call) : refuse.notFound()
      case 'GET /2/tweets':
        return readPosts(call)
      case 'DELETE /2/tweets/:id':
        return deletePost(id)
      case 'GET /2/users/me':
        return readUser(call)
      case 'POST /2/media/upload':
        return media.sendImage(call)
      case 'GET /2/media/upload':
        return media.status(call)
      case 'POST /2/media/upload/initialize':
        return media.initialize(call)
      case 'POST /2/media/upload/:id/append':
        return media.append(id, call)
      case 'POST /2/media/upload/:id/finalize':
        return media.finalize(id)
      default:
        return media.describe(call)
    }
  }

  const switches = {
    /** How long after its creation the timeline shows a post. */
    showsAfterMs: 0,
    /** Whether the timeline shortens links and encodes characters. The guides do not say in which texts it does. */
    changesTexts: true,
    /** Whether the timeline has the media keys of the uploads, which no page promises. */
    keepsMediaKeys: true,
    hasCredit: true,
    /** Whether the app is in a package. */
    isEnrolled: true,
    /** Posts that the timeline has returned: X charges for each. */
    postsRead: 0,
  }
  const { accessToken, refreshToken, grant } = authorization.grant()
  const fake = await startFake(t, ORIGIN, respond)
  return Object.assign(fake, {
    user,
    posts,
    media,
    authorization,
    switches,
    grant,
    credentials: {
      accessToken,
      refreshToken,
      userId: user.id,
      username: user.username,
      clientId: authorization.app.clientId,
    },
    /** Sets the clock of X. */
    setTime(time: Date) {
      clock = () => time
    },
    /** Creates a post like another client; without `authorId`, one of the account. */
    post: (body: Record<string, unknown>, authorId = user.id) => create(authorId, body),
  })
}

export const xScene: Scene<FakeX> = {
  start: startX,
  origins: ['https://api.x.com'],
  account: (x) => ({ username: x.user.username, credentials: x.credentials }),
  countVisible: (x) => x.posts.filter(({ id, versions, isDeleted }) => !isDeleted && versions.at(-1) === id).length,
  published: (x) => {
    x.user.subscription_type = 'Premium'
    const find = (id: string) => x.posts.find((post) => post.id === id && !post.isDeleted)
    return {
      textOf: (id) => find(id)?.sent,
      editsOf: (id) => (find(id)?.versions.length ?? 1) - 1,
      remove: (id) => void Object.assign(find(id)!, { isDeleted: true }),
    }
  },
  knownFields: { quotePostId: [], communityId: [] },
  controls: (x, time) => ({
    limited: (seconds) => throttled(new Date(Date.now() + seconds * 1000)),
    unauthorized: [401],
    secret: x.credentials.accessToken,
    revokeToken: () => set(x.grant, { isRevoked: true }),
    // A token works for two hours.
    expireToken() {
      x.setTime(new Date(time.now.getTime() + 2 * HOUR_MS))
      return () => x.setTime(time.now)
    },
    showLate: () => set(x.switches, { showsAfterMs: LATE_MS }),
    processes: has('video'),
    process: (looks) => set(x.media.switches, { processing: looks === 'fails' ? 'Unsupported video codec' : looks }),
  }),
}
