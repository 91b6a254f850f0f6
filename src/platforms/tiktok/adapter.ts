import type { Act, Adapter, Unidentified } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, PublishError, unexpected } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import { beginAgain, mayBeginAgain } from '../wire/begin-again.ts'
import { lookAgain, searchAfter } from '../wire/lost-response.ts'
import { type Client, call, clientFor, HOST } from './client.ts'
import { tiktokOAuth } from './connect.ts'
import { isDraft } from './content.ts'
import { checkOffered, privacyLevelOptions, readCreator } from './creator.ts'
import { readFacts } from './facts.ts'
import { checkCover, photoPostOf } from './post.ts'
import { readProfile } from './profile.ts'
import { readMetrics } from './read-metrics.ts'
import { follow, NEW_STATE, type State } from './state.ts'
import { describeFailure, isPassing, readStatus, type Status } from './status.ts'
import {
  createUpload,
  endsSoon,
  isExpired,
  lastChunkAt,
  publishIdIn,
  resumedAt,
  sendChunks,
  sendLastChunk,
  uploadTimedOut,
} from './upload.ts'

/**
 * When TikTok is queried again for the public id of a post. It has one after moderation, which "usually finishes within
 * one minute": https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status
 */
const IDS = searchAfter(0, 10, 60, 300)

/** The post is out, or in the inbox as a draft, and TikTok gives it no public id. */
const UNIDENTIFIED: Unidentified = { id: null, url: null }

type Reconciled = Awaited<ReturnType<NonNullable<Adapter<State>['reconcile']>>>

export const tiktokAdapter: Adapter<State> = {
  // The status of a task can be read by its id. That of a video is stored before its last chunk is sent. That of photos
  // is known only if the response to the call that posts them arrived; without it, `reconcile` returns `unknown`.
  guarantee: () => 'reconcilable',
  concurrency: 8,
  readMetrics,
  oauth: tiktokOAuth,
  options: { privacyLevel: privacyLevelOptions },

  factsLastMs: 86_400_000,

  async identify(io) {
    const profile = await readProfile(io, io.credentials.scopes?.split(' ') ?? [])
    return { ...profile, ...(await readFacts(io)) }
  },

  async prepare(act, io, saved) {
    const client = clientFor(io, isDraft(act))
    if (saved === null || saved.publishId === null) return begin(client, act, io, saved ?? NEW_STATE)
    if (saved.wasReady) return prepareAgain(client, act, io, saved)
    if (endsSoon(saved.upload!)) return orTimeOut(saved)
    const upload = await sendChunks(saved.upload!, act.media[0]!, io)
    const state: State = { ...saved, upload }
    const isReady = upload.bytesSent === lastChunkAt(upload, act.media[0]!)
    return isReady ? { ready: { ...state, wasReady: true } } : { later: { state, afterMs: 1 } }
  },

  async publish(act, io, ready) {
    if (ready.isAccepted) return follow({ ...ready, looks: 0 })
    const client = clientFor(io, isDraft(act))
    const { upload } = ready
    if (upload === null) {
      const options = { body: photoPostOf(act), visible: true, data: object({ publish_id: TEXT }) }
      const data = await call(client, io, '/v2/post/publish/content/init/', options)
      const publishId = publishIdIn(data)
      if (publishId === undefined) throw unexpected(HOST, true)
      return follow({ ...ready, publishId, isAccepted: true })
    }
    const isTaken = await sendLastChunk(upload, act.media[0]!, io)
    return follow(isTaken ? { ...ready, isAccepted: true } : { ...ready, upload: { ...upload, isExpired: true } })
  },

  async reconcile(act, io, ready) {
    if (!ready?.publishId) return 'unknown'
    const client = clientFor(io, isDraft(act))
    if (ready.isPublished) return identify(client, act, io, ready)
    const status = await readStatus(client, ready.publishId, io)
    if (!status) return 'unknown'
    switch (status.name) {
      case 'PUBLISH_COMPLETE':
        return conclude(act, { ...ready, looks: 0 }, status.postIds)
      case 'SEND_TO_USER_INBOX':
        return isDraft(act) ? UNIDENTIFIED : follow(ready)
      case 'FAILED':
        return mayRestart(ready, status) ? 'absent' : { rejected: describeFailure(status) }
      default:
        return lacksBytes(act, ready, status) ? 'absent' : follow(ready)
    }
  },
}

/** Reads what the creator may post, and creates the task of a video: its id is stored before the first byte is sent. */
async function begin(client: Client, act: Act, io: Io, state: State) {
  const creator = isDraft(act) ? undefined : await readCreator(client, io)
  if (creator) {
    checkOffered(creator, act)
    checkCover(act)
  }
  const next: State = { ...state, username: creator?.username ?? null }
  if (act.media[0]!.kind === 'video') {
    return { later: { state: { ...next, ...(await createUpload(client, act, io)) }, afterMs: 1 } }
  }
  // Throws if the service has no public address.
  photoPostOf(act)
  return { ready: { ...next, wasReady: true } }
}

/** The publishing call may have been made. The status of the task tells which part is missing. */
async function prepareAgain(client: Client, act: Act, io: Io, saved: State) {
  const { upload } = saved
  const status = await readStatus(client, saved.publishId!, io)
  if (!status) {
    // Until it expires, a worker that was suspended may still send it the last chunk.
    if (upload !== null && !isExpired(upload)) throw unexpected(HOST, false)
    return orTimeOut(saved)
  }
  if (status.name === 'FAILED') {
    if (mayRestart(saved, status)) return beginAgain(NEW_STATE, saved)
    throw impossible(describeFailure(status))
  }
  if (upload === null || !lacksBytes(act, saved, status)) return { ready: { ...saved, isAccepted: true } }
  // A task that lacks bytes and takes no more publishes nothing.
  if (isExpired(upload)) return orTimeOut(saved)
  if (endsSoon(upload)) return { later: { state: saved, afterMs: 60_000 } }
  const resumed = resumedAt(upload, act.media[0]!, status.bytesReceived ?? upload.bytesSent)
  if (resumed.bytesSent === lastChunkAt(upload, act.media[0]!)) return { ready: { ...saved, upload: resumed } }
  return { later: { state: { ...saved, upload: resumed, wasReady: false }, afterMs: 1 } }
}

/** Whether a new task may succeed after one that has failed, which never publishes anything. */
const mayRestart = (state: State, status: Status) =>
  mayBeginAgain(state) && (isPassing(status) || (!state.isAccepted && state.upload !== null && isExpired(state.upload)))

function orTimeOut(state: State) {
  if (!mayBeginAgain(state)) throw uploadTimedOut()
  return beginAgain(NEW_STATE, state)
}

/**
 * Whether an upload may lack its last chunk, so that the chunk is sent again. If TikTok does not say how much it has,
 * the chunk is sent while the upload takes bytes: a second copy publishes nothing more.
 */
function lacksBytes({ media }: Act, { upload, isAccepted }: State, { name, bytesReceived }: Status): boolean {
  if (name !== 'PROCESSING_UPLOAD' || upload === null || isAccepted) return false
  return bytesReceived === undefined ? !isExpired(upload) : bytesReceived < media[0]!.bytes
}

/** The post is out. TikTok gives an id only to posts that everybody can see, after their moderation. */
function conclude(act: Act, state: State, [id]: readonly string[]): Reconciled {
  if (id !== undefined) {
    // No page has the address of photos. This one leads to them too, as Postiz found:
    // https://github.com/gitroomhq/postiz-app/blob/main/libraries/nestjs-libraries/src/integrations/social/tiktok.provider.ts
    return { id, url: state.username === null ? null : `https://www.tiktok.com/@${state.username}/video/${id}` }
  }
  if (isDraft(act) || act.fields.privacyLevel !== 'PUBLIC_TO_EVERYONE') return UNIDENTIFIED
  return lookAgain({ ...state, isPublished: true }, UNIDENTIFIED, IDS)
}

/** Asks for the public id of a post that is out. */
async function identify(client: Client, act: Act, io: Io, state: State): Promise<Reconciled> {
  try {
    const status = await readStatus(client, state.publishId!, io)
    return status ? conclude(act, state, status.postIds) : UNIDENTIFIED
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    return error.retryable ? conclude(act, state, []) : UNIDENTIFIED
  }
}
