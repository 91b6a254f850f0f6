/** Every number about time and amounts of webhooks. */

/**
 * Larger ones are sent without metadata. Receivers expect small bodies:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const EVENT_BYTES_MAX = 20_000

/** For one attempt: name resolution, connection, request and response. */
export const EXCHANGE_MAX_MS = 10_000
/** After the status has arrived, for the part of the body that is kept. */
export const BODY_MAX_MS = 1_000
export const BODY_BYTES_MAX = 1_024

/** Between attempts. After the last delay and one more attempt, a delivery has failed: after about three days. */
export const RETRY_DELAYS_MS = [
  5_000,
  ...[5, 30].map((minutes) => minutes * 60_000),
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600_000),
]
/** Delays vary by up to this share, so that what failed together is not retried together. */
export const JITTER = 0.1
export const RETRY_AFTER_MAX_MS = 86_400_000

/** After the first failure in a row, a webhook rests for this time, and after each further one for twice as long. */
export const REST_MS = 500
export const REST_MAX_MS = 60_000

const DAY_MS = 86_400_000
/** A webhook without a success for this time is disabled, if at least this many attempts have failed. */
export const DISABLED_AFTER_MS = 5 * DAY_MS
export const DISABLED_AFTER_FAILURES = 20
/** After these times without a success, its owner is warned. */
export const WARNED_AFTER_MS = [1 * DAY_MS, 4 * DAY_MS]

/** Attempts of one webhook at a time. */
export const PER_WEBHOOK_MAX = 4
/** Attempts of a process at a time. Webhooks that are failing, slow or unproven have as many for themselves. */
export const PER_PROCESS_MAX = 20
/** The part of these for the failing, slow or unproven webhooks of one user: each may hold its slot for 10 s. */
export const SUSPECT_PER_USER_MAX = 5
/**
 * An attempt that takes longer gives its slot to another webhook, so that receivers that hang do not hold up others.
 */
export const SLOW_MS = 1_000

/** A worker sends to a webhook for this time, then gives it back. Attempts that have begun may take longer. */
export const TURN_MS = 2_000
/** All are read by one statement, and an event may have 30 kB. */
export const TURN_DELIVERIES_MAX = 100
/** Longer than a turn and an attempt. */
export const LEASE_MS = 20_000

/** Between two looks at the database while nothing happens, and at least. */
export const POLL_MS = 200
export const CLAIM_EVERY_MS = 20
/** How long attempts that are running at the end of a process may take. */
export const DRAIN_MS = 7_000
