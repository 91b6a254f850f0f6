import type { Db } from '../../db/client.ts'
import { announceAccountExpiries, announceKeyExpiries } from '../../db/queries/events/expiry.ts'
import { BATCH_MAX, sequenceEvents } from '../../db/queries/events/sequence.ts'

/** Readers see an event at most this time and that of one statement after its transaction. */
export const POLL_MS = 200
const ANNOUNCE_EVERY_MS = 60_000
const ANNOUNCED_MAX = 500

export interface SequencerDeps {
  db: Db
  report(count: number): void
}

/**
 * Returns a function that gives positions to new events, and returns the milliseconds until it is to be called again.
 * Any number of workers may do so: see `sequenceEvents`. Once a minute, it writes the events of what expires soon.
 */
export function createSequencer({ db, report }: SequencerDeps): () => Promise<number> {
  let announcedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - announcedAt > ANNOUNCE_EVERY_MS) {
      await announceExpiries(db)
      announcedAt = performance.now()
    }
    const { count } = await sequenceEvents(db)
    report(count)
    return count === BATCH_MAX ? 0 : POLL_MS
  }
}

async function announceExpiries(db: Db): Promise<void> {
  const values = { now: null, limit: ANNOUNCED_MAX }
  while ((await announceAccountExpiries(db, values)) === ANNOUNCED_MAX);
  while ((await announceKeyExpiries(db, values)) === ANNOUNCED_MAX);
}
