import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '../../db/client.ts'
import { announceAccountExpiries, announceKeyExpiries } from '../../db/queries/events/expiry.ts'
import { BATCH_MAX, sequenceEvents } from '../../db/queries/events/sequence.ts'
import { type Log, logOutages } from '../log.ts'

/** Readers see an event at most this time and that of one statement after its transaction. */
const POLL_MS = 200
const ANNOUNCE_EVERY_MS = 60_000
const ANNOUNCED_MAX = 500

export interface SequencerDeps {
  db: Db
  /** False while the events in the database belong to another one, from which it was copied. */
  isReady(): boolean
  report(count: number): void
  log: Log
}

/**
 * Gives positions to new events until `stop` resolves. Any number of workers may do so: see `sequenceEvents`. Once a minute,
 * writes the events of what expires soon.
 */
export async function runSequencer(deps: SequencerDeps, stop: Promise<unknown>): Promise<void> {
  const { db, log } = deps
  const stopping = new AbortController()
  const { signal } = stopping
  void stop.then(() => stopping.abort())
  let announcedAt = Number.NEGATIVE_INFINITY

  async function step(): Promise<boolean> {
    if (performance.now() - announcedAt > ANNOUNCE_EVERY_MS) {
      await announceExpiries(db)
      announcedAt = performance.now()
    }
    const { count } = await sequenceEvents(db)
    deps.report(count)
    return count === BATCH_MAX
  }

  const outages = logOutages(log, {
    begin: 'events cannot be given positions',
    end: 'events are given positions again',
  })
  while (!signal.aborted) {
    try {
      const hasMore = deps.isReady() && (await step())
      outages.worked()
      if (hasMore) continue
    } catch (error) {
      outages.failed(error)
    }
    await pause(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

async function announceExpiries(db: Db): Promise<void> {
  const values = { now: null, limit: ANNOUNCED_MAX }
  while ((await announceAccountExpiries(db, values)) === ANNOUNCED_MAX);
  while ((await announceKeyExpiries(db, values)) === ANNOUNCED_MAX);
}
