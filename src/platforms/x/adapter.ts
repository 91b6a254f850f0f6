import { setTimeout as pause } from 'node:timers/promises'
import type { Act, Adapter } from '../contract/adapter.ts'
import { Duplicate, PublishError, unexpected, withMaybeSent } from '../contract/publish-error.ts'
import { Refused } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { edit, remove } from './change.ts'
import { type Client, clientFor, ID, MADE, sentOf } from './client.ts'
import { xOAuth } from './connect.ts'
import { findPosts } from './find-post.ts'
import { timeline } from './limits.ts'
import { postOf } from './post.ts'
import { readProfile } from './profile.ts'
import { readMetrics } from './read-metrics.ts'
import { type Upload, uploadFiles } from './upload.ts'

/** X keeps a file for 24 hours: https://docs.x.com/x-api/media/quickstart/media-upload-chunked */
const UPLOADS_MAX_AGE_MS = 20 * 3_600_000

/**
 * X refuses files that it is still processing, with words that may mean something else too:
 * https://github.com/abraham/twitteroauth/issues/1222. If they are refused again after a pause, they are uploaded
 * again.
 */
const FILES_READY_MS = 3_000

type Prepared = {
  uploads: Upload[]
  /** Milliseconds since 1970. */
  uploadedAt: number
  /** How often the timeline was read for the act. */
  looks: number
}

export const xAdapter: Adapter<Prepared> = {
  // X has no idempotency key. A post that is in the timeline is there; that it is not proves nothing, so `reconcile`
  // never says `absent`, and nothing is sent twice.
  guarantee: 'reconcilable',
  concurrency: 16,
  readMetrics,
  remove,
  edit,
  oauth: xOAuth,

  identify: readProfile,

  async prepare(act, io, saved) {
    const client = clientFor(io)
    // Throws for what X cannot show, before anything is uploaded.
    postOf(act, [])
    const isFresh = saved !== null && Date.now() - saved.uploadedAt < UPLOADS_MAX_AGE_MS
    const state: Prepared = isFresh ? { ...saved, looks: 0 } : { uploads: [], uploadedAt: Date.now(), looks: 0 }
    const { uploads, afterMs } = await uploadFiles(client, act, state.uploads)
    const next = { ...state, uploads }
    return afterMs === null ? { ready: next } : { later: { state: next, afterMs } }
  },

  async publish(act, io, { uploads }) {
    const client = clientFor(io)
    const body = postOf(
      act,
      uploads.map(({ id }) => id),
    )
    const create = () => client.call('/2/tweets', { method: 'POST', body, visible: true, answer: MADE })
    try {
      const response = await create().catch(async (error) => {
        if (!(error instanceof PublishError && error.discardsPrepared)) throw error
        await pause(FILES_READY_MS, undefined, { signal: io.signal }).catch(() => {
          throw error
        })
        return create()
      })
      const id = textAt(response.body, 'data', 'id') ?? ''
      if (!ID.test(id)) throw unexpected(client.host, true)
      return sentOf(id, client)
    } catch (error) {
      throw error instanceof Refused && error.isDuplicate ? await explain(error, client, act, uploads) : error
    }
  },

  async reconcile(act, io, ready) {
    const found = await findPosts(clientFor(io), act, mediaKeysOf(ready?.uploads ?? []))
    const [sent] = found
    // One of two equal posts may belong to another post.
    if (sent) return found.length === 1 ? sent : 'unknown'
    return ready === null ? 'unknown' : lookAgain(ready, 'unknown', timeline)
  },
}

/**
 * X refuses a text that the account has posted recently, without saying where. It may be the act itself, sent by an
 * attempt whose outcome was unknown.
 */
async function explain(refusal: Refused, client: Client, act: Act, uploads: readonly Upload[]): Promise<PublishError> {
  try {
    const found = await findPosts(client, act, mediaKeysOf(uploads))
    return found.length === 1 ? new Duplicate(refusal.message, found[0]!) : refusal
  } catch (error) {
    // The act is looked for again before anything is sent.
    if (error instanceof PublishError) return withMaybeSent(error, true)
    throw error
  }
}

const mediaKeysOf = (uploads: readonly Upload[]) => uploads.map(({ mediaKey }) => mediaKey)
