import { PublishError } from '../../platforms/contract/publish-error.ts'

/** The worker stops: acts that it has not sent are given back. */
export class Draining extends Error {}

/** A worker's hold on a delivery. */
export interface HeldLease {
  /** Aborts with a LeaseLost or Draining. */
  signal: AbortSignal
  /** Whether a call is under way whose effect readers see. */
  isCalling: boolean
  /** Whether it may have ended while the worker was suspended. */
  mayBeOver(): boolean
}

/**
 * The error of a call that is not made: another worker may have begun with it. `maybeSent`: another call was before.
 */
export const suspended = ({ maybeSent = false } = {}) =>
  new PublishError('The worker was suspended for too long to send safely', {
    code: 'interrupted',
    maybeSent,
    retryable: true,
  })
