import { setTimeout as pause } from 'node:timers/promises'
import type { NetworkContext } from '../accounts/store.ts'
import { runRefresher } from '../credentials/refresh-loop.ts'
import { REFRESH_CALL_MAX_MS } from '../credentials/refresh-rules.ts'
import type { Publisher } from '../delivery/publisher.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'

/** Refreshes tokens that are due until `stop` resolves, once the publisher found that the database may be worked on. */
export async function refreshDueTokens(
  { db, networks, keyring, oauthApps, fetch }: NetworkContext,
  publisher: Publisher,
  { tokenRefreshes }: Metrics,
  log: Log,
  stop: Promise<unknown>,
): Promise<void> {
  if (!keyring) return
  const deps = {
    ...{ db, networks, keyring, oauthApps, fetch, log },
    clock: () => null,
    uptimeMs: () => performance.now(),
    pause: (ms: number) => pause(ms),
    callMaxMs: REFRESH_CALL_MAX_MS,
    report: ({ platform, outcome }: { platform: string; outcome: string }) => tokenRefreshes.inc({ platform, outcome }),
  }
  await runRefresher(deps, () => publisher.isReady(), stop)
}
