import { createReader } from '../../engine/numbers/reader.ts'
import { POLL_MS } from '../../engine/numbers/timing.ts'
import type { TurnDeps } from '../../engine/numbers/turn.ts'
import type { Task } from './loop.ts'

/** Reads the numbers of published posts. */
export function readMetrics(deps: TurnDeps): Task {
  const reader = createReader(deps)
  return {
    outage: { begin: 'numbers of posts cannot be read', end: 'numbers of posts are read again' },
    retryMs: POLL_MS,
    kind: 'metrics',
    round: async () => ((await reader.begin()) ? 0 : null),
    wake: reader.settled,
    end: reader.drain,
  }
}
