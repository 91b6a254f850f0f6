import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { type Log, logOutages, type OutageLog } from '../log.ts'
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
  const outages = logOutages(log, {
    begin: 'due deliveries cannot be claimed',
    end: 'due deliveries are claimed again',
  })
  try {
    while (!signal.aborted) await step(publisher, outages, signal)
    publisher.stop()
    await Promise.race([publisher.idle(), pause(DRAIN_MS, undefined, { ref: false })])
    await Promise.race([publisher.drain({ calls: false }), pause(RESPONSE_GRACE_MS, undefined, { ref: false })])
    await publisher.drain()
  } finally {
    clearInterval(renewals)
    await publisher.close()
  }
}

/** Looks for work once, and waits until there may be more. */
async function step(publisher: Publisher, outages: OutageLog, signal: AbortSignal): Promise<void> {
  let waitMs = POLL_EVERY_MS
  let hasClaimed = false
  const settled = publisher.settled()
  try {
    hasClaimed = (await publisher.claim()) > 0
    if (!hasClaimed) waitMs = Math.min(waitMs, (await publisher.nextDueInMs()) ?? waitMs)
    outages.worked()
  } catch (error) {
    outages.failed(error)
  }
  if (hasClaimed) return
  await Promise.race([settled, pause(waitMs, undefined, { signal }).catch(() => {})])
  // Deliveries that settle in one batch free their slots together.
  await nextTurn()
}
