import type { Act, Adapter, PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { unexpected } from '../contract/publish-error.ts'
import { callNetwork } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { growingPauseMs } from '../wire/lost-response.ts'
import { fileName, multipart } from '../wire/request-body.ts'
import { edit, remove } from './change.ts'
import { mastodonOAuth } from './connect.ts'
import { mastodonContent } from './content.ts'
import { findStatus } from './find-status.ts'
import { clientFor, type Instance, sentOf } from './instance.ts'
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

  async publish(act, io, { mediaIds }) {
    const instance = clientFor(io)
    const response = await callNetwork(instance, io, `${instance.origin}/api/v1/statuses`, {
      method: 'POST',
      headers: { ...instance.headers, 'idempotency-key': act.token },
      body: statusOf(act, mediaIds),
      visible: true,
    })
    const sent = sentOf(response.body)
    if (!sent) throw unexpected(instance.host, true)
    return sent
  },

  async reconcile(act, io) {
    return findStatus(clientFor(io), act, io)
  },

  remove,
  edit,
}

const stateOf = (uploads: Uploads) =>
  uploads.processing.length === 0 ? { ready: uploads } : { later: { state: uploads, afterMs: pauseMs(uploads.looks) } }

/** https://docs.joinmastodon.org/methods/media/#v2: 202 while the instance processes the file. */
async function uploadAll(instance: Instance, act: Act, io: Io): Promise<Uploads> {
  const uploads: Uploads = { mediaIds: [], processing: [], uploadedAt: Date.now(), looks: 0 }
  for (const [index, file] of act.media.entries()) {
    const { status, body } = await callNetwork(instance, io, `${instance.origin}/api/v2/media`, {
      method: 'POST',
      headers: instance.headers,
      body: formOf(file, index, act),
    })
    const id = textAt(body, 'id')
    if (id === undefined) throw unexpected(instance.host, false)
    uploads.mediaIds.push(id)
    if (status === 202) uploads.processing.push(id)
  }
  return uploads
}

function formOf(file: PublishedFile, index: number, act: Act) {
  const description = mastodonContent(act).altTexts[index]
  const { focus } = file
  const fields = { ...(description && { description }), ...(focus && { focus: `${focus.x},${focus.y}` }) }
  return multipart(fields, [{ field: 'file', name: fileName(file, index), file }])
}

/** 206 while the file is processed, 422 when that failed: https://docs.joinmastodon.org/methods/media/#get */
async function isProcessed(instance: Instance, id: string, io: Io): Promise<boolean> {
  const { headers } = instance
  const { status } = await callNetwork(instance, io, `${instance.origin}/api/v1/media/${id}`, { headers })
  return status === 200
}
