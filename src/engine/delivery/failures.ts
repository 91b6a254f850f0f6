import { isDatabaseFull, isDatabaseUnavailable } from '../../../db/unavailable.ts'
import { errorOf } from '../../../schemas/errors.ts'
import type { Act } from '../../platforms/contract/adapter.ts'
import type { Credentials } from '../../platforms/contract/io.ts'
import type { PublishError } from '../../platforms/contract/publish-error.ts'
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, REST_MAX_MS, REST_MIN_MS } from './timing.ts'

/** Why an act did not succeed: a network's PublishError, or a failure of our own. */
export type Failure = Pick<
  PublishError,
  'code' | 'message' | 'maybeSent' | 'retryable' | 'retryAfterMs' | 'limitKey' | 'needsAttention' | 'discardsPrepared'
>

export const isFailure = (value: Failure | Act | Credentials): value is Failure => 'maybeSent' in value

/** A failure that no adapter threw. */
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
  limitKey: undefined,
  needsAttention,
  discardsPrepared: false,
})

/**
 * The failure of a statement of the intent, or of the sandbox, whose calls are rows. Its commit may have taken effect.
 */
export function databaseFailure(thrown: unknown): Failure | undefined {
  if (!isDatabaseFull(thrown) && !isDatabaseUnavailable(thrown)) return undefined
  const { message } = errorOf(isDatabaseFull(thrown) ? 'database_full' : 'database_unavailable')
  return { ...failure('database_unavailable', message, { retryable: true }), maybeSent: true }
}

/** The network restricts the app of the account: only the operator can mend it, so it does not count as a failure. */
export const isOfApp = ({ code, retryable }: Pick<Failure, 'code' | 'retryable'>) =>
  code === 'app_restricted' && retryable

/** Codes of failures after which the whole account rests. */
export const RESTING = ['rate_limited', 'account_restricted', 'app_restricted']

/** How long the account is left alone after a failure. */
export const accountRestMs = ({
  code,
  retryable,
  retryAfterMs = 0,
}: Pick<Failure, 'code' | 'retryable' | 'retryAfterMs'>) =>
  retryable && RESTING.includes(code) ? restMs(retryAfterMs) : 0

/** A network's wish for a pause, within the limits that are respected. */
export const restMs = (retryAfterMs: number) => Math.min(Math.max(retryAfterMs, REST_MIN_MS), REST_MAX_MS)

/**
 * The wait after a number of failures in a row: 30 s, doubled each time up to an hour. A random part of at most a third
 * is subtracted, so that deliveries that failed together are not retried together. After the first failure, a network's
 * own wish counts alone; later it is a minimum, because pauses of a second would use up all attempts within seconds.
 */
export function backoffMs(
  failures: number,
  { retryAfterMs }: Pick<Failure, 'retryAfterMs'>,
  random: () => number = Math.random,
): number {
  const requiredMs = retryAfterMs === undefined ? 0 : restMs(retryAfterMs)
  if (requiredMs > 0 && failures === 1) return requiredMs
  const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (failures - 1))
  return Math.max(requiredMs, longest - Math.floor((random() * longest) / 3))
}
