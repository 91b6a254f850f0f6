import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Log } from './deliver.ts'
import type { Publisher } from './publisher.ts'

/** New work is found within this time; what has been known for longer, when it is due. */
const POLL_MS = 500
/** A quarter of a lease: two renewals in a row may fail. */
const RENEW_MS = 5_000
const SWEEP_MS = 3_600_000
/** What is under way when the worker is told to stop may finish for so long; then what was not sent yet is given back. */
const FINISH_MS = 4_000
/** A call that was made by then has so long for its answer: without it, it may end as unconfirmed. */
const ANSWER_MS = 4_000

/**
 * Publishes what is due until `stop` comes, and comes back when nothing is under way. Now and then it calls `sweep`, which
 * removes some of what is no longer needed and gives how much that was, until there is nothing more. It polls, and keeps
 * nothing open in the database between two statements, so that a pooler in transaction mode may stand in between.
 */
export async function work(
  publisher: Publisher,
  log: Log,
  stop: Promise<void>,
  sweep: () => Promise<number>,
): Promise<void> {
  const stopping = new AbortController()
  void stop.then(() => stopping.abort())
  const { signal } = stopping
  const renewals = setInterval(() => {
    publisher.renew().catch((error) => log.error({ err: error }, 'leases could not be renewed'))
  }, RENEW_MS)
  const sweepAll = async () => {
    try {
      while (!signal.aborted && (await sweep()) > 0);
    } catch (error) {
      log.error({ err: error }, 'what is no longer needed could not be removed')
    }
  }
  let sweeping = sweepAll()
  const sweeps = setInterval(() => {
    sweeping = sweepAll()
  }, SWEEP_MS)
  try {
    for (let isWorking = true; !signal.aborted; ) isWorking = await step(publisher, log, signal, isWorking)
    await Promise.race([publisher.idle(), pause(FINISH_MS, undefined, { ref: false })])
    await Promise.race([publisher.drain({ calls: false }), pause(ANSWER_MS, undefined, { ref: false })])
    await publisher.drain()
  } finally {
    clearInterval(renewals)
    clearInterval(sweeps)
    await sweeping
  }
}

/**
 * One look for work, and the wait until there may be more. Gives whether the database answers, which is told once for each
 * time that it does not.
 */
async function step(publisher: Publisher, log: Log, signal: AbortSignal, wasWorking: boolean): Promise<boolean> {
  let waitMs = POLL_MS
  let isWorking = true
  const settled = publisher.settled()
  try {
    if ((await publisher.claim()) > 0) return true
    waitMs = Math.min(waitMs, (await publisher.nextDueInMs()) ?? waitMs)
  } catch (error) {
    isWorking = false
    if (wasWorking) log.error({ err: error }, 'due deliveries cannot be claimed')
  }
  if (isWorking && !wasWorking) log.info({}, 'due deliveries are claimed again')
  await Promise.race([settled, pause(waitMs, undefined, { signal }).catch(() => {})])
  // What is settled together makes room together.
  await nextTurn()
  return isWorking
}
