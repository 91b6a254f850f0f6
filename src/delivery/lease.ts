/** The worker stops: acts that it has not sent are given back. */
export class Draining extends Error {}

/** A worker's hold on a delivery. */
export interface HeldLease {
  /** Aborts with a LeaseLost or Draining. */
  signal: AbortSignal
  /** Whether a call is under way whose effect readers see. */
  isCalling: boolean
}
