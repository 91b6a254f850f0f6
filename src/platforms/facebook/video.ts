import type { Act } from '../contract/adapter.ts'
import type { Io } from '../contract/io.ts'
import { ID, list, literal, object, optional } from '../wire/answer.ts'
import { at, textAt } from '../wire/json.ts'
import { lookAgain } from '../wire/lost-response.ts'
import { facebookContent } from './content.ts'
import { callGraph, isId, type Page, permalinkOf } from './graph.ts'
import { type Reconciled, type State, type Upload, waitForFacebook } from './state.ts'
import { callVideos, edgeOf } from './upload.ts'
import { readStatus } from './video-status.ts'

const FINISHED = object({ success: literal(true), post_id: optional(ID) })

/** Ends the upload of a video, which publishes it. Facebook processes it first. */
export async function publishVideo(page: Page, act: Act, state: State, io: Io) {
  const { id, session } = state.video!
  const body =
    session === null
      ? await callGraph(page, io, `${page.id}/${edgeOf(act)}`, {
          form: finishOf(act, id),
          visible: true,
          answer: FINISHED,
        })
      : await callVideos(
          page,
          { upload_phase: 'finish', upload_session_id: session, ...textsOf(act) },
          io,
          FINISHED,
          true,
        )
  return waitForFacebook({ ...state, isAccepted: true, postId: statedPostIdOf(body) })
}

function finishOf(act: Act, id: string): Record<string, string> {
  const finish = { upload_phase: 'finish', video_id: id }
  return { ...finish, ...(act.postType !== 'story' && { video_state: 'PUBLISHED' }), ...textsOf(act) }
}

function textsOf(act: Act): Record<string, string> {
  const { text, title } = facebookContent(act)
  return { ...(text && { description: text }), ...(title && { title }) }
}

/** Publishes an uploaded photo as a story: https://developers.facebook.com/docs/page-stories-api */
export async function publishPhotoStory(page: Page, state: State, io: Io) {
  const form = { photo_id: state.photoIds[0]! }
  const body = await callGraph(page, io, `${page.id}/photo_stories`, { form, visible: true, answer: FINISHED })
  return waitForFacebook({ ...state, isAccepted: true, postId: statedPostIdOf(body) })
}

/** The id of the post as the response has it, without the Page. */
const statedPostIdOf = (body: unknown) => {
  const id = textAt(body, 'post_id')
  return isId(id) ? id : null
}

/** Finds out the outcome of a video or a reel. */
export async function findVideo(page: Page, state: State, upload: Upload, io: Io): Promise<Reconciled> {
  const { isLive, isProcessing, failure, postId, url } = await readStatus(page, upload.id, io)
  if (isLive) return { id: upload.id, ...(postId && { ref: postId }), url }
  if (failure !== undefined) return { rejected: failure }
  if (isProcessing || state.isAccepted) return waitForFacebook(state)
  return lookAgain(state, 'absent')
}

/** Meta does not say how soon a story is listed. A story that Facebook has confirmed is out without an address, too. */
const LISTED_LOOKS_MAX = 4

/** Finds out the outcome of a story, which is listed with the id of its photo or video. */
export async function findStory(page: Page, { startedAt }: Act, state: State, io: Io): Promise<Reconciled> {
  const mediaId = state.video?.id ?? state.photoIds[0]
  const query = {
    fields: 'post_id,status,creation_time,media_type,media_id,url',
    since: String(Math.floor(startedAt.getTime() / 1000) - 60),
  }
  const answer = object({ data: list(object({ media_id: optional(ID), post_id: optional(ID) })) })
  const data = at(await callGraph(page, io, `${page.id}/stories`, { query, answer }), 'data') as unknown[]
  const story = data.find((each) => textAt(each, 'media_id') === mediaId)
  const id = textAt(story, 'post_id')
  if (isId(id)) return { id, url: permalinkOf(textAt(story, 'url')) }
  const status = state.video && (await readStatus(page, state.video.id, io))
  if (status?.failure !== undefined) return { rejected: status.failure }
  if (status?.isProcessing) return waitForFacebook(state)
  if (state.isAccepted && state.looks < LISTED_LOOKS_MAX) return waitForFacebook(state)
  if (state.postId !== null) return { id: state.postId, url: null }
  if (status?.isLive) return { id: state.video!.id, url: null }
  return state.isAccepted ? waitForFacebook(state) : lookAgain(state, 'absent')
}
