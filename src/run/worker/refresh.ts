import type { RefreshDeps } from '../../engine/credentials/refresh.ts'
import { REFRESH_POLL_MS } from '../../engine/credentials/refresh-rules.ts'
import { createRefresher } from '../../engine/credentials/refresher.ts'
import type { Task } from './loop.ts'

/** Refreshes tokens that are due. */
export function refresh(deps: RefreshDeps): Task {
  const refresher = createRefresher(deps)
  return {
    outage: {
      begin: 'tokens that are due for refreshing cannot be claimed',
      end: 'tokens that are due for refreshing are claimed again',
    },
    retryMs: REFRESH_POLL_MS,
    kind: 'refreshes',
    round: async () => ((await refresher.begin()) ? 0 : null),
    wake: refresher.settled,
    end: refresher.drain,
  }
}
