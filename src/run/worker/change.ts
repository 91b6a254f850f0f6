import type { Changer } from '../../engine/delivery/changes/changer.ts'
import { POLL_EVERY_MS } from '../../engine/delivery/timing.ts'
import type { Task } from './loop.ts'

/** Changes what was published. */
export const change = (changes: Changer): Task => ({
  outage: { begin: 'changes cannot be claimed', end: 'changes are claimed again' },
  retryMs: POLL_EVERY_MS,
  kind: 'changes',
  round: async () => ((await changes.begin()) ? 0 : null),
  wake: changes.settled,
})
