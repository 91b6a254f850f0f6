import type { Failures } from '../wire/begin-again.ts'
import { growingPauseMs, lookLater } from '../wire/lost-response.ts'

/** The state that is stored with a delivery. */
export type State = Failures & {
  /** The task on TikTok: null until TikTok has created it. */
  publishId: string | null
  /** The upload of a video. */
  upload: Upload | null
  /** For the address of the post. */
  username: string | null
  /** The call that publishes may have been made. */
  wasReady: boolean
  /** TikTok has all of the post. */
  isAccepted: boolean
  /** TikTok has published the post. Its public id is awaited. */
  isPublished: boolean
  /** How often TikTok was queried since the state of the task changed. */
  looks: number
}

export type Upload = {
  /** A secret: it allows anybody to upload. */
  url: string
  /** Milliseconds since 1970. */
  createdAt: number
  /** TikTok takes no more bytes at this address. */
  isExpired: boolean
  chunkBytes: number
  /** How many bytes TikTok has. The last chunk does not count. */
  bytesSent: number
}

export const NEW_STATE: State = {
  publishId: null,
  upload: null,
  username: null,
  wasReady: false,
  isAccepted: false,
  isPublished: false,
  looks: 0,
  failures: 0,
}

/**
 * The pause before TikTok is queried again: 5 seconds, doubled each time, at most a minute. A token may query 30 times
 * a minute, and a video of 4 GB takes some minutes:
 * https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status
 */
export const follow = (state: State) => lookLater(state, growingPauseMs(state.looks, 5_000, 60_000))
