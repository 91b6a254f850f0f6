import type { DeliveryError, DeliveryState } from '../../../schemas/delivery.ts'
import type { PreparedAct, SentAct } from './delivery.ts'

/** The changes after an act, or after a worker has given a delivery back. `src/delivery/states.ts` decides them. */
export interface Settlement {
  state: DeliveryState
  /** The same worker goes on with the delivery. */
  keepsLease: boolean
  /** The acts of this settlement that exist on the network now: one or none. */
  sent: SentAct[]
  /** Number of acts sent before. Makes a repeated settlement change nothing. */
  sentBefore: number
  /** The call may have been carried out, so the intent stays. */
  mayBeSent: boolean
  /** Nothing of the post may be out after all: it goes back to `scheduled` if so. */
  mayUnpublish: boolean
  failures: number
  error: DeliveryError | null
  /** For the history: of the attempt that `intendAct` began, or else of one that did not get that far. */
  outcome: 'published' | 'failed' | 'unknown' | 'found' | 'absent' | null
  act: number
  /** For later attempts at the act. */
  prepared: PreparedAct | null
  /** The delivery waits for its network. */
  isWaiting: boolean
  /** Milliseconds since the attempt began. */
  startedMsAgo: number
  /** Milliseconds until the next attempt; null if none follows. */
  retryInMs: number | null
  /** How long the account is left alone. */
  accountRestsMs: number
  /** Why the account needs its owner. */
  attention: { code: string; message: string } | null
}
