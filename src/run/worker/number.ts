import { createSequencer, POLL_MS, type SequencerDeps } from '../../features/events/sequencer.ts'
import type { Task } from './loop.ts'

/** Gives positions to new events. */
export const number = (deps: SequencerDeps): Task => ({
  outage: { begin: 'events cannot be given positions', end: 'events are given positions again' },
  retryMs: POLL_MS,
  kind: 'events',
  round: createSequencer(deps),
})
