import type { ClaimedDelivery } from '../../../db/queries/delivery/claim.ts'
import type { DeliveryKey } from '../../../db/queries/delivery/delivery.ts'
import type { Settlement } from '../../../db/queries/delivery/settlement.ts'
import type { DeliveryState } from '../../../schemas/delivery.ts'
import type { PlatformId } from '../../../schemas/platform.ts'
import type { Log } from '../../base/log.ts'
import type { WorkerEvent } from './transitions.ts'

/** A commit about a delivery that a worker holds, for logs and metrics. */
interface Settled extends DeliveryKey {
  platform: PlatformId
  event: WorkerEvent
  /** The delivery's state now. */
  state: DeliveryState
  /** The outcome of the attempt in the delivery's history; null if the event does not belong to an attempt. */
  outcome: Settlement['outcome']
  /** Number of the latest attempt in the history; 0 if it is empty. */
  attempt: number
  /** Number of the act, from 1. */
  act: number
  /** The code of the delivery's error now, which may be that of an earlier attempt; null if it has none. */
  errorCode: string | null
  /** Milliseconds since the delivery was due. */
  latenessMs: number
  /** Milliseconds since the attempt began, uploads included. */
  durationMs: number
  /** Milliseconds until the next attempt; null if none follows, or if this worker goes on with the delivery. */
  nextAttemptInMs: number | null
}

/** A removal or an edit of a published delivery, after its end. */
export interface EndedChange {
  platform: PlatformId
  kind: 'remove' | 'edit'
  outcome: 'done' | 'failed'
}

/** Is called after each commit. It must return immediately, and must not throw. */
export type Report = (settled: Settled) => void

/** Logs a line for each commit: a warning if the delivery has ended with an error. */
export const logSettled =
  (log: Log): Report =>
  ({ outcome, errorCode, latenessMs, durationMs, nextAttemptInMs, ...facts }) => {
    const line = {
      ...facts,
      ...(errorCode !== null && { errorCode }),
      latenessMs: Math.round(latenessMs),
      durationMs: Math.round(durationMs),
      ...(nextAttemptInMs !== null && { nextAttemptInMs }),
    }
    const isOver = facts.state !== 'queued' && facts.state !== 'publishing'
    if (isOver && errorCode !== null) log.warn(line, 'delivery settled')
    else log.info(line, 'delivery settled')
  }

/** The facts of a delivery that log lines have. */
export const factsOf = ({ userId, postId, accountId, platform }: ClaimedDelivery) => ({
  userId,
  postId,
  accountId,
  platform,
})
