import type { Act, Adapter, Sent, Wait } from '../contract/adapter.ts'
import { impossible, unexpected } from '../contract/publish-error.ts'
import { textAt } from '../wire/json.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { edit, remove } from './change.ts'
import { call, idOf, POST, POSTS, postsOf } from './client.ts'
import { googleBusinessOAuth } from './connect.ts'
import { statusOf } from './errors.ts'
import { hasContent, listPosts } from './find-post.ts'
import { readProfile } from './location.ts'
import { localPostOf, mediaOf } from './post.ts'
import { readMetrics } from './read-metrics.ts'

type State = {
  /** Names of the posts that were there before the call; null if not all posts could be read. */
  noted: string[] | null
  /** The name of the post; null until Google has said it. */
  name: string | null
  /** The number of queries for it, counted again from the first query that shows it live. */
  looks: number
  /** Absent until then. */
  isLive?: true
}

/** Pauses before a post is read again that Google has accepted. The last one repeats. */
const FOLLOW_PAUSES_MS = [5_000, 15_000, 60_000, 300_000]

/** How often a live post is read again that has no address yet. */
const ADDRESS_LOOKS_MAX = 3

const { host } = new URL(POSTS)

export const googleBusinessAdapter: Adapter<State> = {
  // A create has no key. The list has every post of the location, so that a new one with the act's content is the
  // act's. How soon it shows there is not documented: `reconcile` never says `absent`, and nothing is sent twice.
  guarantee: 'reconcilable',
  concurrency: 8,
  oauth: googleBusinessOAuth,
  remove,
  edit,
  readMetrics,

  identify: readProfile,

  async prepare(act, io) {
    // Throws for what Google cannot show.
    bodyOf(act)
    const { posts, isComplete } = await listPosts(io, act)
    const noted = isComplete ? posts.map((post) => textAt(post, 'name') ?? '') : null
    return { ready: { noted, name: null, looks: 0 } }
  },

  async publish(act, io, ready) {
    const options = { method: 'POST', body: bodyOf(act), visible: true, answer: POST } as const
    const { body } = await call(io, postsOf(io.credentials), options)
    const result = resultOf(body, ready, true)
    // A rejection with status 200.
    if ('rejected' in result) throw impossible(result.rejected)
    return result
  },

  async reconcile(act, io, ready) {
    if (ready === null) return 'unknown'
    if (ready.name !== null) {
      const { status, body } = await call(io, `${postsOf(io.credentials)}/${idOf(ready.name)}`, {
        accept: [404],
        answer: POST,
      })
      if (status !== 404) return resultOf(body, ready, false)
      if (statusOf(body) !== 'NOT_FOUND') throw unexpected(host, false)
      // Deleted.
      return ready.isLive ? { id: ready.name, url: null } : lookAgain(ready, 'unknown')
    }
    const { posts, isComplete } = await listPosts(io, act)
    const { noted } = ready
    const notedIds = noted?.map(idOf)
    const content = localPostOf(act)
    const found = posts.filter(
      (post) => hasContent(post, content) && !notedIds?.includes(idOf(textAt(post, 'name') ?? '')),
    )
    if (found.length === 0) return lookAgain(ready, 'unknown')
    // One of two equal posts may belong to another post.
    if (found.length > 1 || !isComplete || noted === null) return 'unknown'
    return resultOf(found[0], { ...ready, looks: 0 }, false)
  },
}

const bodyOf = (act: Act) => ({ ...localPostOf(act), ...(act.media.length > 0 && { media: mediaOf(act) }) })

const processing = (state: State, afterMs: number): { processing: Wait<State> } => ({ processing: { state, afterMs } })

/** The outcome of a post that Google has accepted. */
function resultOf(
  post: unknown,
  { noted, looks: before, isLive: wasLive }: State,
  isCreated: boolean,
): Sent | { rejected: string } | { processing: Wait<State> } {
  const name = textAt(post, 'name') ?? ''
  if (!/^accounts\/\d{1,32}\/locations\/\d{1,32}\/localPosts\/[\w-]{1,64}$/.test(name))
    throw unexpected(host, isCreated)
  const state = textAt(post, 'state')
  // The API has no field for the reason.
  if (state === 'REJECTED')
    return { rejected: `${host}: Google rejected the post: it violates the content policy (no rule is named)` }
  const url = addressOf(textAt(post, 'searchUrl'))
  const isLive = state === 'LIVE'
  const looks = isLive && !wasLive ? 0 : before
  if (isLive && (url !== null || looks >= ADDRESS_LOOKS_MAX)) return { id: name, url }
  const afterMs = FOLLOW_PAUSES_MS[Math.min(looks, FOLLOW_PAUSES_MS.length - 1)]!
  return processing({ noted, name, looks: looks + 1, ...(isLive && { isLive }) }, afterMs)
}

function addressOf(text: string | undefined): string | null {
  const url = text ? URL.parse(text) : null
  return url?.protocol === 'https:' && url.href.length <= 2048 ? url.href : null
}
