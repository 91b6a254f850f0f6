import type { Sent, Wait } from '../contract/adapter.ts'
import { growingPauseMs, lookLater } from '../wire/lost-response.ts'

/** The state that is stored with a delivery. */
export type State = {
  /** The address of the upload session, from before its first byte. */
  session: string | null
  /** How much of the file YouTube has. */
  bytesReceived: number
  /** The video, from the response to its last byte. */
  videoId: string | null
  /** The item of the playlist, if it has the video already. */
  itemId: string | null
  /** How often YouTube was queried since the call that made the act. */
  looks: number
}

export const NEW_STATE: State = { session: null, bytesReceived: 0, videoId: null, itemId: null, looks: 0 }

export type Reconciled = Sent | 'absent' | 'unknown' | { rejected: string } | { processing: Wait<State> }

/** Each look costs a unit of the day's quota. */
export const waitForVideo = (state: State) => lookLater(state, growingPauseMs(state.looks, 10_000, 600_000))
