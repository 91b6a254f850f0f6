import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../../db/client.ts'
import { migrate } from '../../../db/migrate.ts'
import { readWaiting } from '../../../db/queries/delivery/backlog.ts'
import { findFirstUser } from '../../../db/queries/people.ts'
import { isDatabaseUnavailable } from '../../../db/unavailable.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { OperatorError } from '../../base/errors.ts'
import { LEASE_MS } from '../../engine/delivery/timing.ts'
import type { NetworkContext } from '../../features/accounts/store.ts'
import type { Library } from '../../features/media/library.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { openDatabase, WORKER_STATEMENT_MS } from './database.ts'
import { seedDemo } from './demo.ts'
import { openNetworkContext } from './network-context.ts'
import { NO_KEY, openPublisher } from './open-publisher.ts'
import { runTasks } from './worker.ts'

/** Migrates on a connection without a time limit: a migration may take longer than a request. */
export async function migrateFirst(config: Config): Promise<void> {
  const { db, close } = await openDatabase(config, { purpose: 'migrate' })
  try {
    await migrate(db, (line) => process.stderr.write(`${line}\n`))
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error
    const { message, code } = error as { message: string; code?: string }
    throw new OperatorError(
      `The database at DATABASE_URL refuses connections (${message || code}). Start it or correct the URL. To use the embedded database instead, remove DATABASE_URL.`,
    )
  } finally {
    await close()
  }
}

export interface InnerWorker {
  facts: Record<string, string>
  /** Undefined without a publisher. */
  finished: Promise<unknown> | undefined
  close(): Promise<void>
}

/** Runs a worker in the process of the API. Its connections are its own: it may wait longer than a request. */
export async function startWorker(
  config: Config,
  media: Library,
  metrics: Metrics,
  log: FastifyBaseLogger,
  stop: Promise<unknown>,
): Promise<InnerWorker> {
  const { db, close } = await openDatabase(config, { purpose: 'worker', statementTimeoutMs: WORKER_STATEMENT_MS })
  try {
    metrics.addPool('worker', db)
    const context = await openNetworkContext(config, db, metrics)
    const facts = await findOrSeedUser(context, { ...media, db })
    const publisher = await openPublisher(config, context, media, metrics, log)
    if (!publisher) log.error(NO_KEY)
    // The tasks start last: they end at `stop` alone, so a later failure would leave the process running.
    const finished = publisher && runTasks(config, context, { ...media, db }, publisher, metrics, log, stop)
    if (facts.key && finished) await Promise.race([untilSent(db, log), stop])
    return { facts, finished, close }
  } catch (error) {
    await close()
    throw error
  }
}

const SENT_WITHIN_MS = 5_000

/** Waits until the due posts of the demo are sent, so that no lines of their log push its key out of sight. */
async function untilSent(db: Db, log: FastifyBaseLogger): Promise<void> {
  const deadline = performance.now() + SENT_WITHIN_MS
  try {
    do {
      const [backlog] = await readWaiting(db, { platforms: [...PLATFORM_IDS], leaseMs: LEASE_MS, now: null })
      if (backlog && backlog.waitingMs <= 0 && !backlog.held) return
      await pause(100)
    } while (performance.now() < deadline)
  } catch (error) {
    log.error({ err: error }, 'whether the posts of the demo are sent could not be read')
  }
}

/** Seeds an empty database. Returns the new key, or the command that creates one for an existing user. */
async function findOrSeedUser({ db, keyring }: NetworkContext, library: Library): Promise<Record<string, string>> {
  const demo = await seedDemo(library, new Date(), keyring)
  const user = demo ? { id: demo.userId } : await findFirstUser(db)
  return { ...demo, ...(user && { newKey: `npm run -s postroom -- key create --user ${user.id}` }) }
}
