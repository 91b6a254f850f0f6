const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How often a post is read until it has this age. Numbers change most in the first hours. */
const BANDS = [
  { untilMs: HOUR_MS, everyMs: 15 * MINUTE_MS },
  { untilMs: 6 * HOUR_MS, everyMs: HOUR_MS },
  { untilMs: DAY_MS, everyMs: 3 * HOUR_MS },
  { untilMs: 3 * DAY_MS, everyMs: 12 * HOUR_MS },
  { untilMs: 7 * DAY_MS, everyMs: DAY_MS },
  { untilMs: 28 * DAY_MS, everyMs: 7 * DAY_MS },
]

/** The age at which a post is read first. */
export const FIRST_AFTER_MS = BANDS[0]!.everyMs
/** A post of this age is not read any more. */
export const ENDS_AFTER_MS = BANDS.at(-1)!.untilMs

/** Milliseconds until a post of this age is read again; null if it is too old. The last reading is at the end. */
export function nextReadingInMs(ageMs: number): number | null {
  const band = BANDS.find(({ untilMs }) => ageMs < untilMs)
  return band ? Math.min(band.everyMs, ENDS_AFTER_MS - ageMs) : null
}

/** Posts that are due within this time are read together with those that are due. */
export const SOON_MS = 5 * MINUTE_MS

/** A post is gone if two readings in a row do not find it, this far apart: networks lag, and fail for some minutes. */
export const GONE_AFTER_MS = 10 * MINUTE_MS
/** When a post is read again that was not found: late enough if it is read as soon as `SOON_MS` allows. */
export const CONFIRM_AFTER_MS = GONE_AFTER_MS + SOON_MS

/** The posts of one turn. One account holds up no other, and one call is not the rule for networks that take many. */
export const POSTS_PER_TURN = 50
/** The calls of one turn, where a call reads one post: a fraction of what networks allow in the pause that follows. */
export const CALLS_PER_TURN = 10
/** The pause of an account between two turns: Facebook, for one, allows a user 200 calls an hour. */
export const TURN_PAUSE_MS = 5 * MINUTE_MS

/** For how long the turn of an account waits that publishing needs. */
export const POSTPONE_MS = MINUTE_MS

/** All calls of a turn together. */
export const TURN_MAX_MS = 60_000
/** The time for which a turn belongs to its worker. */
export const TURN_LEASE_MS = 2 * TURN_MAX_MS
/** All calls of a refresh together: less than clients wait for a response. */
export const REFRESH_MAX_MS = 8_000
/** The limit of a turn after its worker was told to stop. */
export const DRAIN_MS = 5_000

/** How many turns a worker takes at a time. They come after publishing, which needs the processor and the network. */
export const TURNS_MAX = 2
export const POLL_MS = 5_000

/** Pauses of an account after failures in a row. */
const COOL_DOWNS_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS]
const RETRY_AFTER_MAX_MS = DAY_MS

export const coolDownMs = (failures: number, retryAfterMs = 0): number =>
  Math.max(COOL_DOWNS_MS[Math.min(failures, COOL_DOWNS_MS.length) - 1]!, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS))
