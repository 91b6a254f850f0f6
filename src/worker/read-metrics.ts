import { createReader } from '../post-metrics/reader.ts'
import { POLL_MS } from '../post-metrics/timing.ts'
import type { TurnDeps } from '../post-metrics/turn.ts'
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
