import type { Act, Adapter } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { impossible, PublishError, unexpected, withMaybeSent } from '../contract/publish-error.ts'
import { ID, object, optional, TEXT } from '../wire/answer.ts'
import { avatarOf } from '../wire/avatar.ts'
import { Refused } from '../wire/call-network.ts'
import { textAt } from '../wire/json.ts'
import { lookAgain, SEARCH } from '../wire/lost-response.ts'
import { edit, remove } from './change.ts'
import { facebookOAuth } from './connect.ts'
import { findComment, findPost, publishComment, publishPost } from './feed.ts'
import { callGraph, isId, limitKeyOf, type Page, pageOf } from './graph.ts'
import { uploadPhotos } from './photos.ts'
import { readMetrics } from './read-metrics.ts'
import { newState, type Reconciled, type State } from './state.ts'
import { beginUpload, continueUpload } from './upload.ts'
import { findStory, findVideo, publishPhotoStory, publishVideo } from './video.ts'

/**
 * How long uploaded files are used before they are uploaded again. Meta does not say how long it keeps files that were
 * not published.
 */
const UPLOADS_MAX_AGE_MS = 43_200_000

export const facebookAdapter: Adapter<State> = {
  guarantee: 'reconcilable',
  concurrency: 16,
  readMetrics,
  remove,
  edit,
  oauth: facebookOAuth,

  async identify(io) {
    const page = pageOf(io)
    const body = await callGraph(page, io, page.id, {
      query: { fields: 'id,name,username,picture{url}' },
      answer: object({ id: ID, name: TEXT, username: optional(TEXT) }),
    })
    const id = textAt(body, 'id')
    const name = textAt(body, 'name')
    if (!isId(id) || name === undefined) throw unexpected(page.host, false)
    const limitKey = limitKeyOf(page.appId)
    return {
      externalId: id,
      username: textAt(body, 'username') ?? name,
      displayName: name,
      ...avatarOf(textAt(body, 'picture', 'data', 'url')),
      ...(limitKey && { limitKey }),
    }
  },

  async prepare(act, io, saved) {
    const page = pageOf(io)
    if (act.fields.scheduledNative === true) {
      throw impossible('fields.scheduledNative cannot be true: Postroom itself publishes at the scheduled time')
    }
    const isFresh = saved !== null && Date.now() - saved.uploadedAt < UPLOADS_MAX_AGE_MS
    const state: State = isFresh ? { ...saved, isAccepted: false, postId: null, looks: 0 } : newState()
    const [file] = act.media
    if (!file) return { ready: state }
    if (state.photoIds.length > 0 || state.video?.isComplete) return { ready: { ...state, isRepeated: true } }
    if (file.kind !== 'video') return { ready: { ...state, photoIds: await uploadPhotos(page, act, io) } }
    const video = state.video
      ? await continueUpload(page, state.video, file, io)
      : await beginUpload(page, act, file, io)
    return video.isComplete ? { ready: { ...state, video } } : { later: { state: { ...state, video }, afterMs: 1 } }
  },

  async publish(act, io, ready) {
    const page = pageOf(io)
    try {
      return await publishOnce(page, act, ready, io)
    } catch (error) {
      if (!(error instanceof Refused) || !ready.isRepeated) throw error
      // Facebook refuses photos and videos that an earlier call has published after all.
      const found = await find(page, act, { ...ready, looks: SEARCH.pausesMs.length }, io).catch((failure) => {
        throw failure instanceof PublishError ? withMaybeSent(failure, true) : failure
      })
      if (typeof found === 'object' && !('rejected' in found)) return found
      throw error
    }
  },

  async reconcile(act, io, ready) {
    return find(pageOf(io), act, ready ?? newState(), io)
  },
}

function publishOnce(page: Page, act: Act, state: State, io: Io) {
  if (act.kind === 'comment') return publishComment(page, act, io)
  if (state.video) return publishVideo(page, act, state, io)
  return act.postType === 'story' ? publishPhotoStory(page, state, io) : publishPost(page, act, state.photoIds, io)
}

async function find(page: Page, act: Act, state: State, io: Io): Promise<Reconciled> {
  if (act.kind === 'comment') return orLookAgain(await findComment(page, act, io), state, 'absent')
  // An older version left no ids.
  if (act.media.length > 0 && !state.video && state.photoIds.length === 0) return 'unknown'
  if (act.postType === 'story') return findStory(page, act, state, io)
  if (state.video) return findVideo(page, state, state.video, io)
  // Nothing but its text tells a text apart, so one that is not listed is never repeated.
  const conclusion = act.media.length > 0 ? 'absent' : 'unknown'
  return orLookAgain(await findPost(page, act, state.photoIds, io), state, conclusion)
}

const orLookAgain = (found: Awaited<ReturnType<typeof findPost>>, state: State, conclusion: 'absent' | 'unknown') =>
  found === 'absent' ? lookAgain(state, conclusion) : found
