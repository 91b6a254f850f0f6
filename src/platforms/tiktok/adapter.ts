import type { Act, Adapter, Io, Unidentified } from '../adapter.ts'
import { Refused } from '../call-network.ts'
import { impossible, PublishError, unexpected } from '../publish-error.ts'
import { type Client, call, clientFor, codeOf, HOST } from './client.ts'
import { tiktokOAuth } from './connect.ts'
import { checkOffered, privacyLevelOptions, readCreator } from './creator.ts'
import { isDraft, photoPostOf } from './post.ts'
import { readProfile } from './profile.ts'
import { follow, newState, RESTARTS_MAX, restart, type State } from './state.ts'
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
 * The pauses before TikTok is asked again for the public id of a post. It has one after moderation, which "usually finishes
 * within one minute": https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status
 */
const ID_PAUSES_MS = [10_000, 50_000, 240_000]

/** It is out, or in the inbox as a draft, and TikTok has no id of it for others. */
const UNIDENTIFIED: Unidentified = { id: null, url: null }

type Reconciled = Awaited<ReturnType<NonNullable<Adapter<State>['reconcile']>>>

export const tiktokAdapter: Adapter<State> = {
  // TikTok tells what became of each task whose id is known: of every video, since the id is stored before its last chunk
  // is sent; of photos only if the response to the call that posts them arrived. Without the id, `reconcile` says `unknown`.
  guarantee: () => 'reconcilable',
  concurrency: 8,
  oauth: tiktokOAuth,
  options: { privacyLevel: privacyLevelOptions },

  identify: (io) => readProfile(io, io.credentials.scopes?.split(' ') ?? []),

  async prepare(act, io, saved) {
    const client = clientFor(io, isDraft(act))
    if (saved === null || saved.publishId === null) return begin(client, act, io, saved ?? newState())
    if (saved.wasReady) return prepareAgain(client, act, io, saved)
    if (endsSoon(saved.upload!)) return orTimeOut(saved)
    const upload = await sendChunks(client, saved.upload!, act.media[0]!, io)
    const state: State = { ...saved, upload }
    const isReady = upload.bytesSent === lastChunkAt(upload, act.media[0]!)
    return isReady ? { ready: { ...state, wasReady: true } } : { later: { state, afterMs: 1 } }
  },

  async publish(act, io, ready) {
    if (ready.isAccepted) return follow({ ...ready, looks: 0 })
    const client = clientFor(io, isDraft(act))
    const { upload } = ready
    if (upload === null) {
      const data = await call(client, io, '/v2/post/publish/content/init/', { body: photoPostOf(act), visible: true })
      const publishId = publishIdIn(data)
      if (publishId === undefined) throw unexpected(HOST, true)
      return follow({ ...ready, publishId, isAccepted: true })
    }
    const isTaken = await sendLastChunk(client, upload, act.media[0]!, io)
    return follow(isTaken ? { ...ready, isAccepted: true } : { ...ready, upload: { ...upload, isExpired: true } })
  },

  async reconcile(act, io, ready) {
    if (!ready?.publishId) return 'unknown'
    const client = clientFor(io, isDraft(act))
    if (ready.isPublished) return identify(client, act, io, ready)
    let status: Status
    try {
      status = await readStatus(client, ready.publishId, io)
    } catch (error) {
      if (codeIn(error) === 'invalid_publish_id') return 'unknown'
      throw error
    }
    switch (status.name) {
      case 'PUBLISH_COMPLETE':
        return conclude(act, { ...ready, looks: 0 }, status.postIds)
      case 'SEND_TO_USER_INBOX':
        return isDraft(act) ? UNIDENTIFIED : follow(ready)
      case 'FAILED':
        return mayRestart(ready, status) ? 'absent' : { rejected: describeFailure(status) }
      default:
        return !ready.isAccepted && isIncomplete(act, status) ? 'absent' : follow(ready)
    }
  },
}

/** Reads what the creator may post, and creates the task of a video: its id is stored before the first byte is sent. */
async function begin(client: Client, act: Act, io: Io, state: State) {
  const creator = isDraft(act) ? undefined : await readCreator(client, io)
  if (creator) checkOffered(creator, act)
  const next: State = { ...state, username: creator?.username ?? null }
  if (act.media[0]!.kind === 'video') {
    return { later: { state: { ...next, ...(await createUpload(client, act, io)) }, afterMs: 1 } }
  }
  // Throws where the service has no public address.
  photoPostOf(act)
  return { ready: { ...next, wasReady: true } }
}

/** The call that readers see may have been made: TikTok tells where the task stands. */
async function prepareAgain(client: Client, act: Act, io: Io, saved: State) {
  const status = await readStatus(client, saved.publishId!, io)
  if (status.name === 'FAILED') {
    if (mayRestart(saved, status)) return restart(saved)
    throw impossible(describeFailure(status))
  }
  const { upload } = saved
  if (upload === null || saved.isAccepted || !isIncomplete(act, status))
    return { ready: { ...saved, isAccepted: true } }
  // Nothing comes of a task that lacks bytes and takes none any more.
  if (isExpired(upload)) return orTimeOut(saved)
  if (endsSoon(upload)) return { later: { state: saved, afterMs: 60_000 } }
  const resumed = resumedAt(upload, act.media[0]!, status.bytesReceived!)
  if (resumed.bytesSent === lastChunkAt(upload, act.media[0]!)) return { ready: { ...saved, upload: resumed } }
  return { later: { state: { ...saved, upload: resumed, wasReady: false }, afterMs: 1 } }
}

/** Whether a new task may succeed after one that has failed, which never publishes anything. */
const mayRestart = ({ restarts, upload, isAccepted }: State, status: Status) =>
  restarts < RESTARTS_MAX && (isPassing(status) || (!isAccepted && upload !== null && isExpired(upload)))

function orTimeOut(state: State) {
  if (state.restarts >= RESTARTS_MAX) throw uploadTimedOut()
  return restart(state)
}

const isIncomplete = ({ media }: Act, { name, bytesReceived }: Status) =>
  name === 'PROCESSING_UPLOAD' && bytesReceived !== undefined && bytesReceived < media[0]!.bytes

/** The post is out. Only one that everybody can see has an id, and that after its moderation. */
function conclude(act: Act, state: State, [id]: readonly string[]): Reconciled {
  if (id !== undefined) {
    // TikTok's app shows photos at this address too.
    return { id, url: state.username === null ? null : `https://www.tiktok.com/@${state.username}/video/${id}` }
  }
  const afterMs = act.fields.privacyLevel === 'PUBLIC_TO_EVERYONE' ? ID_PAUSES_MS[state.looks] : undefined
  if (isDraft(act) || afterMs === undefined) return UNIDENTIFIED
  return { processing: { state: { ...state, isPublished: true, looks: state.looks + 1 }, afterMs } }
}

/** Asks for the public id of a post that is out. */
async function identify(client: Client, act: Act, io: Io, state: State): Promise<Reconciled> {
  try {
    const { postIds } = await readStatus(client, state.publishId!, io)
    return conclude(act, state, postIds)
  } catch (error) {
    if (!(error instanceof PublishError)) throw error
    return error.retryable ? conclude(act, state, []) : UNIDENTIFIED
  }
}

const codeIn = (error: unknown) => (error instanceof Refused ? codeOf(error.refusal.body) : undefined)
