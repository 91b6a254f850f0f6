import { setTimeout as pause } from 'node:timers/promises'
import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import type { Db } from '../../../db/client.ts'
import { type NextWork, readNextWork } from '../../../db/queries/next-work.ts'
import { PLATFORM_IDS } from '../../../schemas/platform-ids.ts'
import { OperatorError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { createPublicClient } from '../../base/outbound/client.ts'
import type { Refreshed, RefreshedAccount } from '../../engine/credentials/refresh.ts'
import { REFRESH_CALL_MAX_MS } from '../../engine/credentials/refresh-rules.ts'
import type { Publisher } from '../../engine/delivery/publisher.ts'
import { listReadPlatforms } from '../../engine/numbers/mode.ts'
import { POLL_MS as METRICS_POLL_MS } from '../../engine/numbers/timing.ts'
import type { NetworkContext } from '../../features/accounts/store.ts'
import { createAvatars, renewAvatar } from '../../features/media/avatar.ts'
import { createFetchFile } from '../../features/media/fetch.ts'
import { findFfmpeg } from '../../features/media/ffmpeg.ts'
import type { Library } from '../../features/media/library.ts'
import { indexPosts } from '../../features/posts/index-posts.ts'
import { createSend } from '../../features/webhooks/send.ts'
import type { Config } from '../config/config.ts'
import { dependencyChecks } from '../health/dependencies.ts'
import { createHealth, DEPENDENCIES } from '../health/problems.ts'
import { observeDependencies } from '../metrics/dependencies.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createProcessMetrics } from '../metrics/process.ts'
import { countStorageErrors } from '../metrics/storage.ts'
import { createLookout } from '../worker/lookout.ts'
import { type Task, whenReady, work } from '../worker/loop.ts'
import { publish } from '../worker/publish.ts'
import { sweep, sweepStrays } from '../worker/sweep.ts'
import {
  change,
  dispatch,
  indexWords,
  makeVideos,
  moveClocks,
  number,
  readMetrics,
  refresh,
  renewFacts,
} from '../worker/tasks.ts'
import { openDatabase, WORKER_STATEMENT_MS } from './database.ts'
import { createLoggerOptions, processFacts, reportIgnoredProxies } from './logging.ts'
import { openMediaLibrary } from './media-library.ts'
import { warnOfMemory } from './memory.ts'
import { type MetricsServer, serveMetrics } from './metrics-server.ts'
import { openNetworkContext } from './network-context.ts'
import { NO_KEY, openPublisher } from './open-publisher.ts'
import { watchSchema } from './schema.ts'
import { waitForStopSignal } from './signals.ts'

/**
 * Publishes due posts until the process gets a stop signal. Any number of workers can run on one database. While the
 * database is unavailable or its schema outdated, a worker waits.
 */
export async function runWorker(config: Config, announce: (facts: Record<string, string>) => void): Promise<void> {
  const stop = waitForStopSignal(config)
  const { stream, ...options } = (await createLoggerOptions(config.logLevel)) as LoggerOptions & {
    stream: DestinationStream
  }
  const log = pino(options, stream)
  const { db, close } = await openDatabase(config, {
    purpose: 'worker',
    statementTimeoutMs: WORKER_STATEMENT_MS,
    log: (line) => process.stderr.write(`${line}\n`),
  })
  const schema = watchSchema(db, log)
  let metricsServer: MetricsServer | undefined
  try {
    const metrics = createProcessMetrics(db, 'worker')
    const library = await openMediaLibrary(config, db)
    const storage = countStorageErrors(library.storage, metrics)
    const context = await openNetworkContext(config, db, metrics)
    const publisher = await openPublisher(config, context, { ...library, storage }, metrics, log)
    if (!publisher) throw new OperatorError(NO_KEY)
    const health = createHealth(dependencyChecks({ ...library, storage }, db, context.keyring), log)
    observeDependencies(metrics.registry, DEPENDENCIES, health.read)
    metricsServer = await serveMetrics(config, metrics)
    log.info(processFacts('worker'), 'started')
    reportIgnoredProxies(config, log)
    // Not awaited: deliveries without files can be sent while the storage is away.
    void health.read()
    void stop.requested.then(() => log.info('stopping'))
    announce(metricsServer.facts)
    const end = Promise.race([stop.requested, schema.tooNew])
    const isReady = await Promise.race([schema.ready.then(() => true), end.then(() => false)])
    if (isReady) await runTasks(config, context, { ...library, storage }, publisher, metrics, log, end)
    const reason = await end
    if (reason) throw reason
  } finally {
    schema.stop()
    await Promise.all([close(), metricsServer?.close()])
  }
  log.info('stopped')
}

/** Connections of their own, so that webhooks never keep posts waiting for one. */
const WEBHOOK_POOL_MAX = 2

async function readWork(db: Db): Promise<NextWork> {
  const [next] = await readNextWork(db, { platforms: [...PLATFORM_IDS], metricsAfterMs: METRICS_POLL_MS })
  return next!
}

async function openFfmpeg({ ffmpeg, path }: Config, log: Log) {
  const found = await findFfmpeg(ffmpeg, path).catch(() => {
    throw new OperatorError(`FFMPEG ${ffmpeg} cannot be run: correct the path, or set it to off`)
  })
  if (found) warnOfMemory(log)
  return found
}

/**
 * Runs the tasks of a worker until `stop` resolves. In a copy of a database, tokens and events belong to the original:
 * those tasks wait until the publisher has found that it may work on this one.
 */
export async function runTasks(
  config: Config,
  { keyring, ...context }: NetworkContext,
  library: Library,
  publisher: Publisher,
  metrics: Metrics,
  log: Log,
  stop: Promise<unknown>,
): Promise<void> {
  const { db } = context
  const hooks = await openDatabase(
    { ...config, databasePoolMax: Math.min(config.databasePoolMax, WEBHOOK_POOL_MAX) },
    { purpose: 'worker', statementTimeoutMs: WORKER_STATEMENT_MS },
  )
  metrics.addPool('webhooks', hooks.db)
  const client = createPublicClient({ allowList: config.outboundAllow })
  const time = { clock: () => null, uptimeMs: () => performance.now(), pause: (ms: number) => pause(ms) }
  const avatars = createAvatars({ ...library, fetchFile: createFetchFile(client), log })
  const refreshing = {
    ...context,
    ...time,
    keyring: keyring!,
    log,
    callMaxMs: REFRESH_CALL_MAX_MS,
    report: ({ platform, outcome }: Refreshed) => metrics.tokenRefreshes.inc({ platform, outcome }),
    onRefreshed: (account: RefreshedAccount) =>
      void renewAvatar({ ...context, avatars, log, clock: time.clock }, account),
  }
  const sending = {
    db: hooks.db,
    send: createSend(client.dispatcher),
    log,
    openSecrets: keyring!,
    random: Math.random,
    ...time,
    report: (outcome: string) => metrics.webhookAttempts.inc({ outcome }),
  }
  const sweeping = {
    library,
    retention: config.retention,
    marking: {},
    log,
    clock: time.clock,
    pause: (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }),
  }
  const platforms = listReadPlatforms(config.postMetrics)
  const reading = {
    ...context,
    db: hooks.db,
    openCredentials: keyring!.open,
    sealCredentials: keyring!.seal,
    log,
    platforms,
    clock: time.clock,
    now: Date.now,
  }
  const ffmpeg = await openFfmpeg(config, log)
  const ready = (task: Task) => whenReady(publisher.isReady, task)
  const tasks = [
    publish(publisher, log),
    ready(change(publisher.changes)),
    ready(moveClocks({ db, publisher, log })),
    ready(number({ db, report: (count) => metrics.eventsNumbered.inc(count) })),
    indexWords(() => indexPosts(db)),
    ready(refresh(refreshing)),
    ready(renewFacts({ ...context, keyring: keyring!, clock: time.clock, log })),
    ready(dispatch(sending)),
    ...(platforms.length > 0 ? [ready(readMetrics(reading))] : []),
    ...(ffmpeg ? [ready(makeVideos({ library, ffmpeg, log, recentUserIds: new Set() }))] : []),
    sweep(sweeping),
    sweepStrays(library, log),
  ]
  const lookout = createLookout(() => readWork(db))
  await work(tasks, log, stop, lookout).finally(hooks.close)
}
