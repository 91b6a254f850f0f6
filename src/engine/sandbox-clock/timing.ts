import { CALL_IN_FLIGHT_MAX_MS, CHANGE_LEASE_MS, LEASE_MS } from '../delivery/timing.ts'

/** The leases of other workers, which are at work on deliveries of the user by the real time. */
export const LEASES = { publishLeaseMs: LEASE_MS, changeLeaseMs: CHANGE_LEASE_MS }

/**
 * The time for which a clock belongs to its worker without renewal. When it ends, no call of a crashed worker can
 * arrive any more, because the lease of the delivery has ended before.
 */
export const CLOCK_LEASE_MS = Math.max(LEASE_MS, CHANGE_LEASE_MS) + CALL_IN_FLIGHT_MAX_MS

/** A worker moves one clock for this time, then the next one. */
export const PIECE_MS = 1_000

/** A clock is looked at again after this time if another worker is at something of its user. */
export const HELD_WAIT_MS = 500

export const POLL_EVERY_MS = 750
