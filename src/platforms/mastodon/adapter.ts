import { randomUUID } from 'node:crypto'
import type { Act, Adapter, PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { PublishError, unexpected } from '../contract/publish-error.ts'
import { ID, object } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { growingPauseMs } from '../wire/lost-response.ts'
import { orMissing, orNotFound } from '../wire/not-found.ts'
import { fileName, multipart } from '../wire/request-body.ts'
import { edit, remove } from './change.ts'
import { mastodonOAuth } from './connect.ts'
import { mastodonContent } from './content.ts'
import { findStatus } from './find-status.ts'
import { callInstance, clientFor, type Instance, isNoRoute, sentOf } from './instance.ts'
import { readProfile } from './profile.ts'
import { readMetrics } from './read-metrics.ts'
import { statusOf } from './status.ts'

/**
 * How long uploaded files are used before they are uploaded again. Mastodon removes files without a status
 * after a day (https://github.com/mastodon/mastodon/blob/main/app/lib/vacuum/media_attachments_vacuum.rb).
 */
const UPLOADS_MAX_AGE_MS = 3_600_000

/** The pause before files in processing are queried again. */
const pauseMs = (looks: number) => growingPauseMs(looks, 500, 5_000)

/** The files of a post on the instance. */
type Uploads = {
  mediaIds: string[]
  /** Ids of files that the instance is still processing. */
  processing: string[]
  /** Milliseconds since 1970. */
  uploadedAt: number
  /** How often the files in processing were queried. */
  looks: number
  /** The `Idempotency-Key`, if the server has refused the token of the act as a key. */
  key?: string
}

export const mastodonAdapter: Adapter<Uploads> = {
  // Not exactly-once, in spite of Idempotency-Key (https://docs.joinmastodon.org/methods/statuses/#create): the key is
  // kept for one hour. It counts only once the first call has finished: before
  // https://github.com/mastodon/mastodon/pull/37879, of February 2026, two simultaneous calls made two statuses. It is
  // lost when the instance stops between the status and the key, and has led to a 500
  // (https://github.com/mastodon/mastodon/issues/40399). It is sent nevertheless: it covers the time between
  // `reconcile` and the next attempt.
  guarantee: 'reconcilable',
  concurrency: 16,
  factsLastMs: 86_400_000,

  identify: readProfile,
  oauth: mastodonOAuth,
  readMetrics,

  async prepare(act, io, saved) {
    const instance = clientFor(io)
    // Throws for what Mastodon cannot show, before anything is uploaded.
    statusOf(act, [])
    const isFresh = saved !== null && Date.now() - saved.uploadedAt < UPLOADS_MAX_AGE_MS
    if (!saved || !isFresh) return stateOf(await uploadAll(instance, act, io))
    const processing: string[] = []
    for (const id of saved.processing) if (!(await isProcessed(instance, id, io))) processing.push(id)
    return stateOf({ ...saved, processing, looks: saved.looks + 1 })
  },

  async publish(act, io, ready) {
    const instance = clientFor(io)
    try {
      const response = await callInstance(instance, io, `${instance.origin}/api/v1/statuses`, {
        method: 'POST',
        headers: { ...instance.headers, 'idempotency-key': ready.key ?? act.token },
        body: statusOf(act, ready.mediaIds),
        visible: true,
        answer: object({ id: ID }),
      })
      const sent = sentOf(response.body)
      // A reply that became a reaction has the status above it as its response.
      if (!sent || sent.id === act.parent?.id) throw unexpected(instance.host, true)
      return sent
    } catch (error) {
      // Pixelfed remembers a key before it stores the status, for an hour: the act may be there. If it is not, the next
      // attempt has another key.
      if (isKnownKey(error)) return { processing: { state: { ...ready, key: randomUUID() }, afterMs: KEY_PAUSE_MS } }
      throw await explainRefusal(error, instance, ready.mediaIds, io)
    }
  },

  async reconcile(act, io, ready) {
    return findStatus(clientFor(io), act, ready?.mediaIds ?? [], io)
  },

  remove,
  edit,
}

/** How long a server may take for a request whose key it has refused once more. */
const KEY_PAUSE_MS = 30_000

const isKnownKey = (error: unknown) =>
  error instanceof Refused &&
  error.refusal.status === 400 &&
  /duplicate idempotency key/i.test(textAt(error.refusal.body, 'error') ?? '')

/**
 * Mastodon refuses files that it still processes with 422, in the language of the instance
 * (`errors.media_attachments.not_ready` of config/locales): then the act is tried again.
 */
async function explainRefusal(error: unknown, instance: Instance, mediaIds: readonly string[], io: Io) {
  if (!(error instanceof Refused) || error.refusal.status !== 422) return error
  for (const id of mediaIds) {
    if (await isProcessed(instance, id, io).catch(() => true)) continue
    return new PublishError(error.message, { code: 'server_error', maybeSent: false, retryable: true })
  }
  return error
}

const stateOf = (uploads: Uploads) =>
  uploads.processing.length === 0 ? { ready: uploads } : { later: { state: uploads, afterMs: pauseMs(uploads.looks) } }

/** https://docs.joinmastodon.org/methods/media/#v2: 202 while the instance processes the file. */
async function uploadAll(instance: Instance, act: Act, io: Io): Promise<Uploads> {
  const uploads: Uploads = { mediaIds: [], processing: [], uploadedAt: Date.now(), looks: 0 }
  for (const [index, file] of act.media.entries()) {
    const { status, body } = await upload(instance, file, index, act, io)
    const id = textAt(body, 'id')
    if (id === undefined) throw unexpected(instance.host, false)
    uploads.mediaIds.push(id)
    if (status === 202) uploads.processing.push(id)
  }
  return uploads
}

/** Older software has the first version alone, which responds once the file is processed. */
async function upload(instance: Instance, file: PublishedFile, index: number, act: Act, io: Io) {
  const send = (path: string) =>
    callInstance(instance, io, `${instance.origin}${path}`, {
      method: 'POST',
      body: formOf(file, index, act),
      answer: object({ id: ID }),
    })
  return (await orMissing(isNoRoute, () => send('/api/v2/media'))) ?? send('/api/v1/media')
}

function formOf(file: PublishedFile, index: number, act: Act) {
  const description = mastodonContent(act).altTexts[index]
  const { focus } = file
  const fields = { ...(description && { description }), ...(focus && { focus: `${focus.x},${focus.y}` }) }
  return multipart(fields, [{ field: 'file', name: fileName(file, index), file }])
}

/** 206 while the file is processed, 422 when that failed: https://docs.joinmastodon.org/methods/media/#get */
async function isProcessed(instance: Instance, id: string, io: Io): Promise<boolean> {
  const { host, origin } = instance
  const read = () => callInstance(instance, io, `${origin}/api/v1/media/${id}`, { answer: 'status' as const })
  const response = await orNotFound(read)
  // Removed after a day without a status.
  if (!response) throw filesGone(host)
  if (response.status === 200 && textAt(response.body, 'id') !== id) throw unexpected(host, false)
  return response.status === 200
}

const filesGone = (host: string) =>
  new PublishError(`${host} no longer has a file of the post`, {
    code: 'server_error',
    maybeSent: false,
    retryable: true,
    discardsPrepared: true,
  })
