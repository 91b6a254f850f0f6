import { ABORT_GRACE_MS } from './timing.ts'

/**
 * Calls `work` with a signal that aborts with `outer`, or after `limitMs`. An adapter that ignores its signal would
 * hold the account forever, so its result is not waited for beyond a grace period. Within that period, its own error
 * says more.
 */
export async function withinTime<T>(
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(limitMs)])
  const stuck = Promise.withResolvers<never>()
  const end = () => setTimeout(() => stuck.reject(new Error('the adapter does not return')), ABORT_GRACE_MS)
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work(signal), stuck.promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
