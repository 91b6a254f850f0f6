// Every time of the delivery engine, in milliseconds.

/** The time for which a claimed delivery belongs to its worker without renewal. */
export const LEASE_MS = 20_000

/** Two renewals in a row may fail. */
export const RENEW_EVERY_MS = LEASE_MS / 4

/**
 * The time between a worker's stop and the end of its lease: it has stopped before another worker can claim the
 * delivery.
 */
export const LEASE_MARGIN_MS = 5_000

/**
 * A call starts only while this much of the lease is left; a shorter lease is extended. A renewed lease is long enough.
 */
export const CALL_LEASE_MS = LEASE_MS - RENEW_EVERY_MS

/** An idle worker finds new deliveries within this time. Deliveries stored before start when they are due. */
export const LOOK_EVERY_MS = 750

/** A worker that may not publish yet, or has failed to claim, tries again after this time. */
export const POLL_EVERY_MS = 500

/**
 * How long running deliveries may finish after a worker was told to stop. Then it gives back deliveries that it has not
 * sent.
 */
export const DRAIN_MS = 4_000

/**
 * The time for which a call may then still wait for its response. If it gets none, the delivery may end as unconfirmed.
 */
export const RESPONSE_GRACE_MS = 4_000

/** A delivery looks again within this time for a video that is being converted. */
export const RENDITION_WAIT_MS = 5_000

/** An act without files takes a call or two. */
export const ACT_MAX_MS = 60_000

/** An act with files takes uploads as well. */
export const ACT_WITH_FILES_MAX_MS = 600_000

/** How long an adapter may take to return after its signal has aborted. */
export const ABORT_GRACE_MS = 1_000

/**
 * How long a call whose response was lost may still be on its way into the network. Until then, nothing is done that
 * the call could undo: see "Late calls" in README.md.
 */
export const CALL_IN_FLIGHT_MAX_MS = 30_000

/** A reading of an account to find lost acts serves its other deliveries for this time. */
export const READING_KEPT_MS = 300_000

/** A delivery that waits for a reading is due this time before the reading began: more than a claim takes. */
export const READING_MARGIN_MS = 5_000

/** Calls of other deliveries are compared from this time before this delivery began: more than clocks differ. */
export const OTHER_CALLS_SINCE_MS = 3_600_000

/**
 * How long after its first attempt an act keeps its name when its owner retries it: a call under that name may arrive.
 */
export const NAME_KEPT_MS = 3_600_000

/** For how long earlier calls count when a delivery becomes due again. */
export const EARLIER_CALLS = { inFlightMs: CALL_IN_FLIGHT_MAX_MS, nameKeptMs: NAME_KEPT_MS }

/** How long a delivery may wait for its network. Containers of Instagram and Threads expire after a day. */
export const NETWORK_WAIT_MAX_MS = 86_400_000

/** How long the end of a rate limit that accounts shared is remembered. */
export const SHARED_REST_KEPT_MS = 3_600_000

/** Minimum pause before an adapter that asked for time is called again. */
export const NETWORK_WAIT_MIN_MS = 100

/** An access token that expires within this time, and can be refreshed, is not used any more. */
export const EXPIRES_SOON_MS = 60_000

/** The wait of a delivery beyond the time at which its account's access token is due for refreshing. */
export const REFRESH_WAIT_MS = 2_000

/** A call that removes or edits an act. */
export const CHANGE_CALL_MAX_MS = 20_000

/**
 * The time for which a claimed removal or edit belongs to its worker. The intent of each call renews it. When it ends,
 * the call of a crashed worker can no longer arrive.
 */
export const CHANGE_LEASE_MS = CHANGE_CALL_MAX_MS + CALL_IN_FLIGHT_MAX_MS

/** How many removals and edits one worker carries out at a time. */
export const CHANGES_MAX = 8

/** A removal or edit is looked at again after this time if its account rests, or has another one. */
export const CHANGE_POSTPONE_MS = 2_000

/** After this many failures in a row, about an hour after the first, a delivery has failed. */
export const FAILURES_MAX = 8
export const BACKOFF_FIRST_MS = 30_000
export const BACKOFF_MAX_MS = 3_600_000

/** A network may ask for a pause from a second to a day: anyone may run a server, and ask for any pause. */
export const REST_MIN_MS = 1_000
export const REST_MAX_MS = 86_400_000

/**
 * The time for which due deliveries may wait for a worker. Workers look more than once a second, and a dead worker's
 * lease ends first.
 */
export const UNCLAIMED_MAX_MS = 60_000

/** The outcomes of calls are written to the journal within this time. A bucket needs some 50 ms for it. */
export const JOURNAL_EVERY_MS = 1_000

/** A worker that has not written to the journal for this time does so before its next call. */
export const JOURNAL_STALE_MS = 2_000

/**
 * The time for which a worker waits for the storage of the journal before it sends without it. All steps between a
 * claim and its deliveries share this time, because the claim is not renewed yet.
 */
export const JOURNAL_WAIT_MS = 5_000

/** A journal without any segment is looked for again within this time: the first worker may be about to write one. */
export const JOURNAL_MISSING_MS = 5_000

/**
 * A worker that is killed reaches its last mark within this time after its last write. Earlier versions wrote calls
 * after they made them, so calls of this time may be missing in their journals.
 */
export const JOURNAL_SLACK_MS = 5_000

/** The time for which a segment of the journal is continued. */
export const SEGMENT_MAX_MS = 3_600_000

/** A backup that is older than this is restored without the journal. */
export const JOURNAL_KEPT_MS = 35 * 86_400_000
