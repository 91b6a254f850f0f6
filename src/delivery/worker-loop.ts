import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Publisher } from './publisher.ts'
import { DRAIN_MS, POLL_EVERY_MS, RENEW_EVERY_MS, RESPONSE_GRACE_MS } from './timing.ts'

/**
 * Publishes due deliveries until `stop` resolves, and returns when none is running. Polls, and keeps nothing open in the
 * database between two statements, so that a pooler in transaction mode may stand in between.
 */
export async function work(publisher: Publisher, log: Log, stop: Promise<unknown>): Promise<void> {
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const { signal } = stopping
  const renewals = setInterval(() => {
    publisher.renew().catch((error) => log.error({ err: error }, 'leases could not be renewed'))
  }, RENEW_EVERY_MS)
  try {
    for (let isReachable = true; !signal.aborted; ) isReachable = await step(publisher, log, signal, isReachable)
    publisher.stop()
    await Promise.race([publisher.idle(), pause(DRAIN_MS, undefined, { ref: false })])
    await Promise.race([publisher.drain({ calls: false }), pause(RESPONSE_GRACE_MS, undefined, { ref: false })])
    await publisher.drain()
  } finally {
    clearInterval(renewals)
    await publisher.close()
  }
}

/**
 * Looks for work once, and waits until there may be more. Returns whether the database responds, which is logged when it
 * changes.
 */
async function step(publisher: Publisher, log: Log, signal: AbortSignal, wasReachable: boolean): Promise<boolean> {
  let waitMs = POLL_EVERY_MS
  let isReachable = true
  const settled = publisher.settled()
  try {
    if ((await publisher.claim()) > 0) return true
    waitMs = Math.min(waitMs, (await publisher.nextDueInMs()) ?? waitMs)
  } catch (error) {
    isReachable = false
    if (wasReachable) log.error({ err: error }, 'due deliveries cannot be claimed')
  }
  if (isReachable && !wasReachable) log.info({}, 'due deliveries are claimed again')
  await Promise.race([settled, pause(waitMs, undefined, { signal }).catch(() => {})])
  // Deliveries that settle in one batch free their slots together.
  await nextTurn()
  return isReachable
}
