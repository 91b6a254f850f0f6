import type { Adapter } from '../contract/adapter.ts'
import { unexpected } from '../contract/publish-error.ts'
import { ID, object } from '../wire/answer.ts'
import { textAt } from '../wire/json.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { edit, remove } from './change.ts'
import { clientFor, HOST, isId, sentOf } from './client.ts'
import { pinterestOAuth, readProfile } from './connect.ts'
import { findPins } from './find-pin.ts'
import { pinterestOptions } from './options.ts'
import { pinOf, placeOf } from './pin.ts'
import { readMetrics } from './read-metrics.ts'
import { LOOK_FIRST_MS, uploadVideo, type Video, waitFor } from './video.ts'

type Prepared = {
  /** Null for images, which go with the pin. */
  video: Video | null
  /** How often the board was read for the pin. */
  looks: number
}

export const pinterestAdapter: Adapter<Prepared> = {
  // Pinterest has no idempotency key. A pin that is listed is there; that it is not proves nothing, so `reconcile`
  // never says `absent`, and nothing is sent twice.
  guarantee: 'reconcilable',
  concurrency: 8,
  readMetrics,
  remove,
  edit,
  oauth: pinterestOAuth,
  options: pinterestOptions,

  identify: readProfile,

  async prepare(act, io, saved) {
    const client = clientFor(io)
    // Throws before anything is uploaded.
    placeOf(act)
    const [file] = act.media
    if (file?.kind !== 'video') return { ready: { video: null, looks: 0 } }
    if (saved?.video) {
      const { id, looks } = saved.video
      const afterMs = await waitFor(client, saved.video)
      const state = { video: { id, looks: looks + 1 }, looks: 0 }
      if (afterMs !== null) return afterMs === 0 ? { ready: state } : { later: { state, afterMs } }
    }
    return { later: { state: { video: await uploadVideo(client, file, io), looks: 0 }, afterMs: LOOK_FIRST_MS } }
  },

  async publish(act, io, { video }) {
    const body = pinOf(act, video?.id ?? null)
    const response = await clientFor(io).call('/pins', {
      method: 'POST',
      body,
      visible: true,
      answer: object({ id: ID }),
    })
    const id = textAt(response.body, 'id')
    if (!isId(id)) throw unexpected(HOST, true)
    return sentOf(id)
  },

  async reconcile(act, io, ready) {
    const found = await findPins(clientFor(io), act)
    const [sent] = found
    // One of two equal pins may belong to another post.
    if (sent) return found.length === 1 ? sent : 'unknown'
    return ready === null ? 'unknown' : lookAgain(ready, 'unknown')
  },
}
