import type { Db } from '../../../db/client.ts'
import {
  advanceClock,
  type ClaimedClock,
  claimClock,
  deleteHeldClock,
  endLostLeases,
  readNextWorkOf,
  releaseClock,
  stopClock,
} from '../../../db/queries/sandbox-clocks.ts'
import type { Log } from '../../base/log.ts'
import type { Publisher } from '../delivery/publisher.ts'
import { CALL_IN_FLIGHT_MAX_MS, RENEW_EVERY_MS } from '../delivery/timing.ts'
import { CLOCK_LEASE_MS, HELD_WAIT_MS, LEASES, PIECE_MS } from './timing.ts'

export interface ClockDeps {
  db: Db
  publisher: Pick<Publisher, 'ofUser'>
  log: Log
}

/**
 * Moves the clock that has waited the longest, for a second at most. Returns whether there was one. The clock goes from
 * one time at which something of its user is due to the next. There, the code of all workers does it.
 *
 * A worker may crash at any point: the row of the clock says how far it is, and what was begun has its own lease.
 */
export async function moveNextClock(deps: ClockDeps, stop: AbortSignal): Promise<boolean> {
  const { db, log } = deps
  const [clock] = await claimClock(db, { ...LEASES, leaseMs: CLOCK_LEASE_MS })
  if (!clock) return false
  if (clock.isEnding) {
    await deleteHeldClock(db, clock)
    return true
  }
  if (clock.wasLost) {
    log.warn({ userId: clock.userId }, 'sandbox clock is taken over')
    await endLostLeases(db, { ...clock, ...LEASES, inFlightMs: CALL_IN_FLIGHT_MAX_MS })
  }
  let waitMs = 0
  try {
    waitMs = await move(deps, clock, stop)
  } finally {
    await releaseClock(db, { ...clock, waitMs })
  }
  return true
}

/** Returns for how long the clock is left alone. */
async function move({ db, publisher, log }: ClockDeps, clock: ClaimedClock, stop: AbortSignal): Promise<number> {
  const time = { now: new Date() }
  const own = publisher.ofUser(clock.userId, () => time.now)
  const giveBack = () => void own.drain({ calls: false })
  const advance = async (reachedAt: Date) => {
    const [advanced] = await advanceClock(db, { ...clock, reachedAt, leaseMs: CLOCK_LEASE_MS })
    if (advanced) time.now = advanced.reachedAt
    else giveBack()
    return advanced !== undefined
  }
  const renewals = setInterval(() => {
    Promise.all([own.renew(), advance(time.now)]).catch((error) =>
      log.error({ err: error, userId: clock.userId }, 'the lease of a sandbox clock could not be renewed'),
    )
  }, RENEW_EVERY_MS)
  stop.addEventListener('abort', giveBack)
  const startedAt = performance.now()
  try {
    while (!stop.aborted && performance.now() - startedAt < PIECE_MS) {
      const [next] = await readNextWorkOf(db, { ...clock, ...LEASES })
      if (!next) return 0
      if (next.isHeld) return HELD_WAIT_MS
      const { reachedAt, targetAt, deliveriesAt, changesAt } = next
      const dueAt = earlier(deliveriesAt, changesAt)
      if (dueAt === null || dueAt > (targetAt ?? reachedAt)) {
        if (targetAt && (await advance(targetAt))) await stopClock(db, { ...clock, targetAt })
        return 0
      }
      if (!(await advance(dueAt))) return 0
      // If nothing was claimed, another worker has locked it.
      if (!(await carryOut(own, dueAt, next))) return HELD_WAIT_MS
    }
    return 0
  } finally {
    clearInterval(renewals)
    stop.removeEventListener('abort', giveBack)
    await own.drain()
    await own.changes.drain()
  }
}

const earlier = (a: Date | null, b: Date | null) => (a && b ? (a < b ? a : b) : (a ?? b))

/** Carries out what is due first. Returns whether there was something. */
async function carryOut(
  own: Publisher,
  dueAt: Date,
  { deliveriesAt, changesAt }: { deliveriesAt: Date | null; changesAt: Date | null },
): Promise<boolean> {
  const isDue = (at: Date | null) => at !== null && at <= dueAt
  let hasBegun = isDue(deliveriesAt) && (await own.claim()) > 0
  if (isDue(changesAt)) while (await own.changes.begin()) hasBegun = true
  await Promise.all([own.idle(), own.changes.idle()])
  return hasBegun
}
