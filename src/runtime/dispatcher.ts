import type { NetworkContext } from '../accounts/store.ts'
import type { Config } from '../config.ts'
import type { Publisher } from '../delivery/publisher.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { runDispatcher } from '../webhooks/dispatcher.ts'
import { openDatabase, WORKER_STATEMENT_MS } from './database.ts'

/** Connections of their own, so that webhooks never keep posts waiting for one. */
const POOL_MAX = 2

/** Sends events to webhooks until `stop` resolves, once the publisher found that the database may be worked on. */
export async function dispatchWebhooks(
  config: Config,
  { keyring, fetch }: NetworkContext,
  publisher: Publisher,
  metrics: Metrics,
  log: Log,
  stop: Promise<unknown>,
): Promise<void> {
  if (!keyring) return
  const { db, close } = await openDatabase(
    { ...config, databasePoolMax: Math.min(config.databasePoolMax, POOL_MAX) },
    { purpose: 'worker', statementTimeoutMs: WORKER_STATEMENT_MS },
  )
  metrics.addPool('webhooks', db)
  const deps = {
    ...{ db, fetch, log },
    openSecrets: keyring,
    clock: () => null,
    uptimeMs: () => performance.now(),
    random: Math.random,
    report: (outcome: string) => metrics.webhookAttempts.inc({ outcome }),
  }
  await runDispatcher(deps, () => publisher.isReady(), stop).finally(close)
}
