import { randomInt } from 'node:crypto'
import type { PublishError } from '../platforms/adapter.ts'

/** Why an act did not succeed: what a network's PublishError says, or the like of our own. */
export type Failure = Pick<
  PublishError,
  'code' | 'message' | 'maybeSent' | 'retryable' | 'retryAfterMs' | 'needsAttention'
>

/** A failure of ours, before anything was sent. */
export const failure = (
  code: string,
  message: string,
  { retryable = false, needsAttention = false } = {},
): Failure => ({
  code,
  message,
  maybeSent: false,
  retryable,
  retryAfterMs: undefined,
  needsAttention,
})

/** After so many failures in a row, about an hour after the first, a delivery is given up. */
export const FAILURES_MAX = 8
const BACKOFF_FIRST_MS = 30_000
const BACKOFF_MAX_MS = 3_600_000

/** A server that anybody may run can ask for any pause. */
const REST_MAX_MS = 86_400_000

/** How long a network wants to be left alone, as far as that is heeded: a second at least, a day at most. */
export const restMs = (retryAfterMs: number) => Math.min(Math.max(retryAfterMs, 1_000), REST_MAX_MS)

/**
 * How long to wait after so many failures in a row: from 30 s, twice as long each time, up to an hour, less a random part of
 * at most a third, so that what failed together is not tried again together. The network's own wish counts alone after the
 * first one, and as the least after others: pauses of a second would use up all attempts within seconds.
 */
export function backoffMs(failures: number, { retryAfterMs }: Pick<Failure, 'retryAfterMs'>): number {
  const wish = retryAfterMs === undefined ? 0 : restMs(retryAfterMs)
  if (wish > 0 && failures === 1) return wish
  const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1))
  return Math.max(wish, longest - randomInt(Math.floor(longest / 3)))
}
