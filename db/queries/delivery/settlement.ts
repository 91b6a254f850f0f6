import type { DeliveryError } from '../../../schemas/delivery.ts'
import type { PreparedAct, SentAct } from './delivery.ts'

/** The state after a settlement, and what only that state has. */
type Next =
  /** The same worker goes on with the delivery. */
  | { state: 'publishing' }
  /**
   * `isOpen`: the call may have been carried out, so the intent stays. `isWaiting`: the delivery waits for its network.
   */
  | { state: 'queued'; retryInMs: number; isOpen: boolean; isWaiting: boolean }
  /** The call may have been carried out, so the intent stays. */
  | { state: 'unconfirmed' }
  | { state: 'published' }
  | { state: 'failed' }
  | { state: 'missed' }

interface Recorded {
  /** The act that is on the network now, or was left out. */
  sent: SentAct | null
  /** Number of acts sent before. Makes a repeated settlement change nothing. */
  sentBefore: number
  /** Nothing of the post may be out after all: it goes back to `scheduled` if so. */
  mayUnpublish: boolean
  failures: number
  error: DeliveryError | null
  /** For the history: of the attempt that `intendAct` began, or else of one that did not get that far. */
  outcome: 'published' | 'failed' | 'unknown' | 'found' | 'absent' | null
  /** For later attempts at the act. */
  prepared: PreparedAct | null
  /** How long the account is left alone. */
  accountRestsMs: number
  /** Why the account needs its owner. */
  attention: { code: string; message: string } | null
}

/** The consequences of an outcome. `src/engine/delivery/decide.ts` decides them. */
export type Decision = Recorded & Next

/** A decision as it is stored. */
export type Settlement = Decision & {
  act: number
  /** Milliseconds since the last call that lost its response ended; null if none has. */
  lostMsAgo: number | null
  /** Milliseconds since the attempt began. */
  startedMsAgo: number
}

/** Whether the call of the act may have been carried out. */
export const isOpen = (decision: Decision): boolean =>
  decision.state === 'unconfirmed' || (decision.state === 'queued' && decision.isOpen)
