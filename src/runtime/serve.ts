import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Db } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { findFirstUser } from '../../db/queries/people.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import type { NetworkContext } from '../accounts/store.ts'
import { buildApp } from '../app.ts'
import type { Config } from '../config/config.ts'
import { OperatorError } from '../errors.ts'
import { createFetchFile } from '../media/fetch.ts'
import type { Library } from '../media/library.ts'
import type { MediaOptions } from '../media/plugin.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createProcessMetrics } from '../metrics/process.ts'
import { countReceiveErrors, countStorageErrors } from '../metrics/storage.ts'
import { createPublicClient } from '../outbound/client.ts'
import { work } from '../worker/loop.ts'
import { sweepStrays } from '../worker/sweep.ts'
import { openDatabase, REQUEST_STATEMENT_MS, WORKER_STATEMENT_MS } from './database.ts'
import { seedDemo } from './demo.ts'
import { createDrain, type Drain } from './drain.ts'
import { createLoggerOptions, processFacts, reportIgnoredProxies } from './logging.ts'
import { openMediaLibrary } from './media-library.ts'
import { releaseMemory, releaseMemoryWhenIdle } from './memory.ts'
import { type MetricsServer, serveMetrics } from './metrics-server.ts'
import { NO_KEY, openNetworkContext, openPublisher } from './open-publisher.ts'
import { type SchemaWatch, watchSchema } from './schema.ts'
import { addressOf, listen } from './server.ts'
import { waitForStopSignal } from './signals.ts'
import { runTasks } from './worker.ts'

/**
 * Tells the operator that the process is ready. The facts are URLs, and after a first start the demo user's id and key.
 */
export type Announce = (facts: Record<string, string>) => void

/** Runs the API. While the database is unavailable, it keeps running and responds 503. */
export const serve = (config: Config, announce: Announce) => run(config, announce, false)

/** Sets up the database, creates demo data if it is empty, and runs the API and a worker in one process. */
export const start = (config: Config, announce: Announce) => run(config, announce, true)

async function run(config: Config, announce: Announce, isStart: boolean): Promise<void> {
  const stop = waitForStopSignal(config)
  const logger = await createLoggerOptions(config.logLevel)
  const database = await openDatabase(config, {
    purpose: 'serve',
    statementTimeoutMs: REQUEST_STATEMENT_MS,
    log: (line) => process.stderr.write(`${line}\n`),
  })
  let app: FastifyInstance | undefined
  let drain: Drain | undefined
  let isEnding = false
  let schema: SchemaWatch | undefined
  let worker: InnerWorker | undefined
  let metricsServer: MetricsServer | undefined
  let strays: Promise<void> | undefined
  let idleMemory: { stop(): void } | undefined
  try {
    if (isStart) await migrateFirst(config)
    const metrics = createProcessMetrics(database.db, 'api')
    const client = createPublicClient({ allowList: config.outboundAllow })
    const media = await openMedia(config, database.db, metrics, client)
    app = await openApp(config, { media, metrics, client, logger, isStopping: () => isEnding })
    drain = createDrain(app)
    metricsServer = await serveMetrics(config, metrics)
    const address = await listen(app, config)
    // Preparing the routes blocks the event loop for longer than a connection may take.
    schema = watchSchema(database.db, app.log)
    const end = Promise.race([stop.requested, schema.tooNew])
    idleMemory = releaseMemoryWhenIdle()
    if (isStart) worker = await startWorker(config, media, metrics, app.log, end)
    else strays = work([sweepStrays(media, app.log)], app.log, end)
    app.log.info(processFacts(isStart ? 'start' : 'serve'), 'started')
    reportIgnoredProxies(config, app.log)
    const key = worker?.facts.key
    announce({
      // The fragment is not sent to the service, and so not logged.
      ...(config.servesConsole && { console: `${address}/console${key ? `#key=${key}` : ''}` }),
      ...{ api: `${address}/api/v1`, docs: `${address}/docs`, ...metricsServer.facts, ...worker?.facts },
    })
    const reason = await end
    isEnding = true
    if (reason) throw reason
    app.log.info('stopping')
  } finally {
    schema?.stop()
    idleMemory?.stop()
    // At SIGINT, a person waits at the terminal.
    const lingers = isEnding && stop.signal !== 'SIGINT'
    await Promise.all([drain?.stop({ lingers }), worker?.finished, strays])
    await Promise.all([database.close(), worker?.close(), metricsServer?.close()])
  }
  app.log.info('stopped')
}

type Client = ReturnType<typeof createPublicClient>

async function openMedia(config: Config, db: Db, metrics: Metrics, client: Client): Promise<MediaOptions> {
  const library = await openMediaLibrary(config, db)
  const storage = countStorageErrors(library.storage, metrics)
  return { ...library, storage, fetchFile: createFetchFile(client), onReceiveError: countReceiveErrors(metrics) }
}

interface AppParts {
  media: MediaOptions
  metrics: Metrics
  client: Client
  logger: Awaited<ReturnType<typeof createLoggerOptions>>
  isStopping: () => boolean
}

async function openApp(config: Config, { client, ...parts }: AppParts): Promise<FastifyInstance> {
  const { corsOrigins, trustedProxies, rateLimits, returnUrls, postGapMs, postMetrics, servesConsole } = config
  const context = await openNetworkContext(config, parts.media.db, parts.metrics)
  // Otherwise the garbage of imports and that of preparing the routes exceed 200 MB.
  releaseMemory()
  const app: FastifyInstance = await buildApp({
    ...parts,
    ...context,
    ...{ corsOrigins, trustedProxies, rateLimits, returnUrls, postGapMs, postMetrics, servesConsole },
    webhookUrls: { allowsHttp: config.webhooksAllowHttp, isReachable: client.isReachable },
    publicUrl: () => config.publicUrl ?? addressOf(app, config),
  })
  return app
}

interface InnerWorker {
  facts: Record<string, string>
  /** Undefined without a publisher. */
  finished: Promise<unknown> | undefined
  close(): Promise<void>
}

/** Runs a worker in the process of the API. Its connections are its own: it may wait longer than a request. */
async function startWorker(
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
    return { facts, finished, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Seeds an empty database. Returns the new key, or the command that creates one for an existing user. */
async function findOrSeedUser({ db, keyring }: NetworkContext, library: Library): Promise<Record<string, string>> {
  const demo = await seedDemo(library, new Date(), keyring)
  const user = demo ? { id: demo.userId } : await findFirstUser(db)
  return { ...demo, ...(user && { newKey: `npm run -s postroom -- key create --user ${user.id}` }) }
}

/** Migrates on a connection without a time limit: a migration may take longer than a request. */
async function migrateFirst(config: Config): Promise<void> {
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
