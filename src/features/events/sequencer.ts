import type { Db } from '../../../db/client.ts'
import { announceAccountExpiries, announceKeyExpiries } from '../../../db/queries/events/expiry.ts'
import { BATCH_MAX, sequenceEvents } from '../../../db/queries/events/sequence.ts'

/**
 * While there are new events, readers see one at most this time and that of one statement after its transaction. The
 * first one after a pause waits for a look of the worker.
 */
export const POLL_MS = 200
const ANNOUNCE_EVERY_MS = 60_000
const ANNOUNCED_MAX = 500

export interface SequencerDeps {
  db: Db
  report(count: number): void
}

/**
 * Returns a function that gives positions to new events. It returns the milliseconds until it is to be called again, or
 * null if there were none. Any number of workers may do so: see `sequenceEvents`. Once a minute, it writes the events
 * of what expires soon.
 */
export function createSequencer({ db, report }: SequencerDeps): () => Promise<number | null> {
  let announcedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - announcedAt > ANNOUNCE_EVERY_MS) {
      await announceExpiries(db)
      announcedAt = performance.now()
    }
    const { count } = await sequenceEvents(db)
    report(count)
    if (count === BATCH_MAX) return 0
    return count > 0 ? POLL_MS : null
  }
}

async function announceExpiries(db: Db): Promise<void> {
  const values = { now: null, limit: ANNOUNCED_MAX }
  while ((await announceAccountExpiries(db, values)) === ANNOUNCED_MAX);
  while ((await announceKeyExpiries(db, values)) === ANNOUNCED_MAX);
}
