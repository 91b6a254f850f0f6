import type { Sent, Wait } from '../contract/adapter.ts'
import { growingPauseMs, lookLater } from '../wire/lost-response.ts'

/** The state that is stored with a delivery. */
export type State = {
  /** Photos that nobody sees yet, in order. */
  photoIds: string[]
  /** The video, and how far its upload has come. */
  video: Upload | null
  /** Milliseconds since 1970. */
  uploadedAt: number
  /** Facebook has accepted the call that publishes. */
  isAccepted: boolean
  /** The id of the post, if the response to that call had it. */
  postId: string | null
  /** How often Facebook was queried since that call. */
  looks: number
  /** An earlier attempt may have published the same photos or video. */
  isRepeated: boolean
}

export type Upload = {
  id: string
  /** The session of an upload in chunks; null for an upload in one request. */
  session: string | null
  /** The beginning and the end of the next chunk. */
  from: number
  to: number
  isComplete: boolean
}

export const newState = (): State => ({
  photoIds: [],
  video: null,
  uploadedAt: Date.now(),
  isAccepted: false,
  postId: null,
  looks: 0,
  isRepeated: false,
})

export type Reconciled = Sent | 'absent' | 'unknown' | { rejected: string } | { processing: Wait<State> }

/** Facebook has accepted the act, and is working on it. */
export const waitForFacebook = (state: State) => lookLater(state, growingPauseMs(state.looks, 2_000, 60_000))
