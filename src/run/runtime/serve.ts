import type { FastifyInstance } from 'fastify'
import type { Db } from '../../../db/client.ts'
import { createPublicClient } from '../../base/outbound/client.ts'
import { createFetchFile } from '../../features/media/fetch.ts'
import type { MediaFiles } from '../../features/media/plugin.ts'
import { buildApp } from '../app.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createProcessMetrics } from '../metrics/process.ts'
import { countReceiveErrors, countStorageErrors } from '../metrics/storage.ts'
import { work } from '../worker/loop.ts'
import { sweepStrays } from '../worker/sweep.ts'
import { openDatabase, REQUEST_STATEMENT_MS } from './database.ts'
import { createDrain, type Drain } from './drain.ts'
import type { InnerWorker } from './inner-worker.ts'
import { createLoggerOptions, processFacts, reportIgnoredProxies } from './logging.ts'
import { openMediaLibrary } from './media-library.ts'
import { releaseMemory, releaseMemoryWhenIdle } from './memory.ts'
import { type MetricsServer, serveMetrics } from './metrics-server.ts'
import { openNetworkContext } from './network-context.ts'
import { type SchemaWatch, watchSchema } from './schema.ts'
import { addressOf, listen } from './server.ts'
import { waitForStopSignal } from './signals.ts'

/**
 * Tells the operator that the process is ready. The facts are URLs, and after a first start the demo user's id and key.
 */
export type Announce = (facts: Record<string, string>) => void

/** Runs the API. While the database is unavailable, it keeps running and responds 503. */
export const serve = (config: Config, announce: Announce) => run(config, announce)

/** Sets up the database, creates demo data if it is empty, and runs the API and a worker in one process. */
export const start = async (config: Config, announce: Announce) =>
  run(config, announce, await import('./inner-worker.ts'))

/** `inner` is an argument, so that `serve` imports nothing that only a worker needs. */
async function run(config: Config, announce: Announce, inner?: typeof import('./inner-worker.ts')): Promise<void> {
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
    await inner?.migrateFirst(config)
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
    if (inner) worker = await inner.startWorker(config, media, metrics, app.log, end)
    else strays = work([sweepStrays(media, app.log)], app.log, end)
    app.log.info(processFacts(inner ? 'start' : 'serve'), 'started')
    reportIgnoredProxies(config, app.log)
    const key = worker?.facts.key
    announce({
      // The fragment is not sent to the service, and so not logged.
      ...(config.servesConsole && { console: `${address}/console${key ? `#key=${key}` : ''}` }),
      api: `${address}/api/v1`,
      docs: `${address}/docs`,
      ...metricsServer.facts,
      ...worker?.facts,
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

async function openMedia(config: Config, db: Db, metrics: Metrics, client: Client): Promise<MediaFiles> {
  const library = await openMediaLibrary(config, db)
  const storage = countStorageErrors(library.storage, metrics)
  return { ...library, storage, fetchFile: createFetchFile(client), onReceiveError: countReceiveErrors(metrics) }
}

interface AppParts {
  media: MediaFiles
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
    corsOrigins,
    trustedProxies,
    rateLimits,
    returnUrls,
    postGapMs,
    postMetrics,
    servesConsole,
    webhookUrls: { allowsHttp: config.webhooksAllowHttp, isReachable: client.isReachable },
    publicUrl: () => config.publicUrl ?? addressOf(app, config),
  })
  return app
}
