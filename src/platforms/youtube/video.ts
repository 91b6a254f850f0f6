import type { Act, PublishedFile } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { PublishError } from '../contract/publish-error.ts'
import { object, TEXT } from '../wire/answer.ts'
import { Refused } from '../wire/call-network.ts'
import { at, textAt } from '../wire/json.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { type Client, call, HOST, itemsOf, listOf } from './client.ts'
import { reasonOf } from './errors.ts'
import { findVideo } from './find-video.ts'
import { videoSentOf } from './resource.ts'
import { beginSession, CHUNK_BYTES, incomplete, readProgress, sendBytes } from './session.ts'
import { NEW_STATE, type Reconciled, type State, waitForVideo } from './state.ts'

/** After this many bytes, the worker gives the delivery back for a moment. */
const BYTES_PER_RUN = 8 * CHUNK_BYTES

/** The pause before the upload goes on. */
const CONTINUE_MS = 100

/** A video whose processing takes longer counts as published: after some six hours. */
const LOOKS_MAX = 40

/** How often a session that has every byte is asked for its video. */
const COMPLETE_LOOKS_MAX = 10

type Prepared = { ready: State } | { later: { state: State; afterMs: number } }

const continueLater = (state: State): Prepared => ({ later: { state, afterMs: CONTINUE_MS } })

/** Uploads all but the last chunk: the video does not exist without it. */
export async function uploadVideo(client: Client, act: Act, saved: State | null, io: Io): Promise<Prepared> {
  const file = act.media[0]!
  const begin = async () => continueLater({ ...NEW_STATE, session: await beginSession(client, act, file, io) })
  const state = saved ?? NEW_STATE
  if (state.videoId !== null) return { ready: state }
  // The address is stored before the first byte is sent.
  if (state.session === null) return begin()
  let progress = await readProgress(client, state.session, file, io)
  // Its bytes have not become a video: `reconcile` comes before another attempt.
  if (progress === 'gone') return begin()
  for (let sent = 0; ; sent += CHUNK_BYTES) {
    if ('videoId' in progress) return { ready: { ...state, videoId: progress.videoId, looks: 0 } }
    const from: number = progress.bytesReceived
    if (file.bytes - from <= CHUNK_BYTES) return { ready: { ...state, bytesReceived: from, looks: 0 } }
    if (sent >= BYTES_PER_RUN) return continueLater(state)
    progress = await sendBytes(client, state.session, file, { from, bytes: CHUNK_BYTES }, io)
    // Counts as a failure; the same bytes would be sent for a day.
    if ('bytesReceived' in progress && progress.bytesReceived <= from) throw incomplete()
  }
}

/** Sends the last chunk, which makes the video. */
export async function finishVideo(client: Client, act: Act, state: State, io: Io) {
  if (state.videoId !== null) return waitForVideo(state)
  const file = act.media[0]!
  const from = state.bytesReceived
  // A session that has every byte, and no video yet, is asked for it.
  if (from === file.bytes) return waitForVideo(state)
  const progress = await sendBytes(client, state.session!, file, { from, bytes: file.bytes - from }, io)
  if ('videoId' in progress) return waitForVideo({ ...state, videoId: progress.videoId })
  const { bytesReceived } = progress
  if (bytesReceived === file.bytes) return waitForVideo({ ...state, bytesReceived })
  throw incomplete()
}

/** Finds out the outcome of a video. */
export async function reconcileVideo(client: Client, act: Act, state: State, io: Io): Promise<Reconciled> {
  if (state.videoId !== null) return watch(client, act, { ...state, videoId: state.videoId }, io)
  // A session that is lost with a restored database.
  if (state.session === null) return (await findVideo(client, act, io)) ?? lookAgain(state, 'unknown')
  const progress = await readSession(client, state.session, act.media[0]!, io)
  if (typeof progress === 'string') return (await findVideo(client, act, io)) ?? lookAgain(state, 'unknown')
  if ('rejected' in progress) return progress
  if ('videoId' in progress) return watch(client, act, { ...state, videoId: progress.videoId, looks: 0 }, io)
  if (progress.bytesReceived < act.media[0]!.bytes) return 'absent'
  return state.looks < COMPLETE_LOOKS_MAX ? waitForVideo(state) : ((await findVideo(client, act, io)) ?? 'unknown')
}

/**
 * An upload that ended in a refusal gets the same refusal again. One without a reason may be of a proxy, and says
 * nothing.
 */
async function readSession(client: Client, session: string, file: PublishedFile, io: Io) {
  try {
    return await readProgress(client, session, file, io)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return reasonOf(error.refusal.body) === '' ? 'gone' : { rejected: error.message }
  }
}

/** https://developers.google.com/youtube/v3/docs/videos#status.uploadStatus */
const FAILED = ['failed', 'rejected', 'deleted']

/**
 * Waits until YouTube has processed the video. Its id is known, so that only YouTube's own word makes it a failure: if
 * the status cannot be read, it is read again.
 */
async function watch(client: Client, act: Act, state: State & { videoId: string }, io: Io): Promise<Reconciled> {
  const sent = videoSentOf(state.videoId, act)
  if (state.looks >= LOOKS_MAX) return sent
  const status = await readStatus(client, state.videoId, io).catch((error) => {
    if (error instanceof PublishError && !io.signal.aborted) return undefined
    throw error
  })
  const uploadStatus = textAt(status, 'uploadStatus')
  if (uploadStatus === 'processed') return sent
  if (uploadStatus === undefined || !FAILED.includes(uploadStatus)) return waitForVideo(state)
  const reason = textAt(status, 'failureReason') ?? textAt(status, 'rejectionReason')
  return {
    rejected: `${HOST}: the video was ${uploadStatus === 'failed' ? 'not processed' : uploadStatus}${reason ? ` (${reason})` : ''}`,
  }
}

const STATUSES = listOf({ status: object({ uploadStatus: TEXT }) })

/** https://developers.google.com/youtube/v3/docs/videos/list. A new video may be missing for some minutes. */
async function readStatus(client: Client, id: string, io: Io): Promise<unknown> {
  const { body } = await call(client, io, 'videos', { query: { part: 'status', id }, answer: STATUSES })
  return at(itemsOf(body)[0], 'status')
}
