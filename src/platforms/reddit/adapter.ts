import type { Act, Adapter, Sent } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, PublishError, unexpected } from '../contract/publish-error.ts'
import { object } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { lookAgain, lookLater } from '../wire/lost-response.ts'
import { edit, remove } from './change.ts'
import { type Client, clientFor, readPage, sentOf, THINGS } from './client.ts'
import { redditOAuth } from './connect.ts'
import { redditContent } from './content.ts'
import { codeOf } from './errors.ts'
import { findComment, findPost } from './find-post.ts'
import { FLAIR_ID, ownPosts } from './limits.ts'
import { flairOptions, subredditOptions } from './options.ts'
import { type Asset, kindOf, requestOf } from './post.ts'
import { readProfile } from './profile.ts'
import { readMetrics } from './read-metrics.ts'
import { uploadFiles } from './upload.ts'

/** Reddit does not say how long it keeps files without a post. */
const UPLOADS_MAX_AGE_MS = 43_200_000

type State = {
  /** The files, in order; behind a video, its poster. */
  assets: Asset[]
  /** Milliseconds since 1970. */
  uploadedAt: number
  /** Reddit has accepted the post, and processes its files. */
  isAccepted: boolean
  /** How often the list of the author was read since then. */
  looks: number
}

const newState = (): State => ({ assets: [], uploadedAt: Date.now(), isAccepted: false, looks: 0 })

export const redditAdapter: Adapter<State> = {
  // Reddit has no idempotency key. The list of the author is complete and quick.
  guarantee: 'reconcilable',
  concurrency: 8,
  readMetrics,
  remove,
  edit,
  oauth: redditOAuth,
  options: { subreddit: subredditOptions, flairId: flairOptions },

  identify: readProfile,

  async prepare(act, io, saved) {
    const client = clientFor(io)
    if (act.kind === 'comment') return { ready: newState() }
    if (!textAt(act.fields, 'subreddit')) throw impossible('fields.subreddit is missing')
    const flairId = textAt(act.fields, 'flairId')
    if (flairId && !FLAIR_ID.test(flairId)) throw impossible('fields.flairId has to be the id of a flair, a UUID')
    // Throws before anything is uploaded.
    kindOf(act)
    const isFresh = saved !== null && Date.now() - saved.uploadedAt < UPLOADS_MAX_AGE_MS
    const state: State = isFresh ? { ...saved, isAccepted: false, looks: 0 } : newState()
    const { assets, isComplete } = await uploadFiles(client, act, io, state.assets)
    return isComplete ? { ready: { ...state, assets } } : { later: { state: { ...state, assets }, afterMs: 1 } }
  },

  async publish(act, io, ready) {
    const client = clientFor(io)
    if (act.kind === 'comment') return publishComment(client, act)
    const { path, body } = requestOf(act, ready.assets)
    const data = await send(client, act, path, body)
    const sent = sentOf(data)
    if (sent) return sent
    // A post gets its id when its file is processed. Browsers learn it by the `websocket_url` in the response.
    if (ready.assets.length === 0 || !data) throw unexpected(client.host, true)
    return lookLater({ ...ready, isAccepted: true, looks: 0 }, ownPosts.accepted.pausesMs[0]!)
  },

  reconcile: (act, io, ready) => find(act, io, ready ?? newState()),
}

const POSTED = object({ json: object({ data: object() }) })

async function send(client: Client, act: Act, path: string, body: object): Promise<unknown> {
  try {
    return at((await client.call(path, { method: 'POST', body, visible: true, answer: POSTED })).body, 'json', 'data')
  } catch (error) {
    throw await explain(error, client, act)
  }
}

/**
 * Reddit has refused posts with this code in subreddits that exist: https://github.com/gitroomhq/postiz-app/pull/1886.
 * Nothing was posted.
 */
async function explain(error: unknown, client: Client, { fields }: Act): Promise<unknown> {
  if (!(error instanceof Refused) || codeOf(error.refusal.body) !== 'SUBREDDIT_NOEXIST') return error
  const about = await readPage(client, `/r/${textAt(fields, 'subreddit')}/about`, {
    answer: object({ data: object() }),
  })
  if (about === undefined) return error
  return new PublishError(error.message, { code: 'server_error', maybeSent: false, retryable: true })
}

/** https://www.reddit.com/dev/api#POST_api_comment */
async function publishComment(client: Client, act: Act): Promise<Sent> {
  const { text } = redditContent(act)
  const body = new URLSearchParams({ api_type: 'json', thing_id: act.parent!.id, text })
  const response = await client.call('/api/comment', { method: 'POST', body, visible: true, answer: THINGS })
  const thing = at(response.body, 'json', 'data', 'things', 0, 'data')
  const sent = sentOf(thing)
  if (!sent) throw unexpected(client.host, true)
  return sent
}

async function find(act: Act, io: Io, state: State) {
  const client = clientFor(io)
  const isComment = act.kind === 'comment'
  // Only the ids of its files tell a post apart.
  if (!isComment && act.media.length > 0 && state.assets.length === 0) return 'unknown'
  const found = isComment ? await findComment(client, act) : await findPost(client, act, state.assets)
  if (typeof found !== 'string') return found
  if (state.isAccepted) return lookAgain(state, 'unknown', ownPosts.accepted)
  return lookAgain(state, found, ownPosts[state.assets.length > 0 ? 'files' : 'text'])
}
