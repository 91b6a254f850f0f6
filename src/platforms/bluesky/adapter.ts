import type { Adapter } from '../contract/adapter.ts'
import type { Json } from '../contract/io.ts'
import { edit, remove } from './change.ts'
import { blueskyOAuth } from './connect.ts'
import { embedOf } from './embed.ts'
import { readProfile } from './profile.ts'
import { readMetrics } from './read-metrics.ts'
import { facetsOf, POST, recordKey, recordOf, sentOf } from './record.ts'
import { openRepo } from './repo.ts'
import { limitReplies } from './threadgate.ts'
import type { VideoJob } from './video.ts'

/**
 * How long a prepared record is used again. A PDS removes blobs that no record refers to, after an hour at the
 * earliest:
 * https://atproto.com/specs/blob#blob-metadata
 */
const RECORD_MAX_AGE_MS = 1_800_000

/** The record of the post as it will be written; until a video is processed, the parts of the record. */
type Prepared = { preparedAt: number } & ({ record: Json } | { record?: never; facets: Json; video: VideoJob })

export const blueskyAdapter: Adapter<Prepared> = {
  guarantee: 'exactly-once',

  concurrency: 16,

  oauth: blueskyOAuth,

  readMetrics,

  factsLastMs: 86_400_000,

  identify: readProfile,

  async prepare(act, io, saved) {
    const fresh = saved && Date.now() - saved.preparedAt < RECORD_MAX_AGE_MS ? saved : null
    if (fresh?.record !== undefined) return { ready: fresh }
    const preparedAt = fresh?.preparedAt ?? Date.now()
    const repo = await openRepo(io)
    // Before the uploads, which would be repeated for as long as a mention cannot be resolved.
    const facets = fresh ? fresh.facets : await facetsOf(act, repo)
    const embed = await embedOf(act, repo, io, fresh?.video)
    if (embed && 'later' in embed) {
      const { state: video, afterMs } = embed.later
      return { later: { state: { preparedAt, facets, video }, afterMs } }
    }
    return { ready: { preparedAt, record: recordOf(act, facets, embed) } }
  },

  async publish(act, io, { record }) {
    const repo = await openRepo(io)
    const post = await repo.add(POST, recordKey(act), record as object)
    await limitReplies(act, post, repo)
    return sentOf(post, repo)
  },

  async reconcile(act, io) {
    const repo = await openRepo(io)
    const post = await repo.find(POST, recordKey(act))
    if (!post) return 'absent'
    await limitReplies(act, post, repo)
    return sentOf(post, repo)
  },

  remove,
  edit,
}
