import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import type { Config } from '../config.ts'
import { work } from '../delivery/worker-loop.ts'
import { OperatorError } from '../errors.ts'
import { runSequencer } from '../events/sequencer.ts'
import { dependencyChecks } from '../health/dependencies.ts'
import { createHealth } from '../health/health.ts'
import { observeHealth } from '../metrics/health.ts'
import { createProcessMetrics } from '../metrics/process.ts'
import { countStorageErrors } from '../metrics/storage.ts'
import { openDatabase, WORKER_STATEMENT_MS } from './database.ts'
import { dispatchWebhooks } from './dispatcher.ts'
import { createLoggerOptions, processFacts, reportIgnoredProxies } from './logging.ts'
import { openMediaLibrary } from './media-library.ts'
import { type MetricsServer, serveMetrics } from './metrics-server.ts'
import { NO_KEY, openNetworkContext, openPublisher } from './publisher.ts'
import { refreshDueTokens } from './refresher.ts'
import { watchSchema } from './schema.ts'
import { waitForStopSignal } from './signals.ts'
import { sweepOldData } from './sweeper.ts'

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
    observeHealth(metrics.registry, health)
    metricsServer = await serveMetrics(config, metrics)
    log.info(processFacts('worker'), 'started')
    reportIgnoredProxies(config, log)
    // Not awaited: deliveries without files can be sent while the storage is away.
    void health.read()
    void stop.requested.then(() => log.info('stopping'))
    announce(metricsServer.facts)
    const end = Promise.race([stop.requested, schema.tooNew])
    const isReady = await Promise.race([schema.ready.then(() => true), end.then(() => false)])
    if (isReady) {
      await Promise.all([
        work(publisher, log, end),
        runSequencer(
          {
            db,
            isReady: () => publisher.isReady(),
            report: (count) => metrics.eventsNumbered.inc(count),
            log,
          },
          end,
        ),
        refreshDueTokens(context, publisher, metrics, log, end),
        dispatchWebhooks(config, context, publisher, metrics, log, end),
        sweepOldData(config, { ...library, storage }, log, end),
      ])
    }
    const reason = await end
    if (reason) throw reason
  } finally {
    schema.stop()
    await Promise.all([close(), metricsServer?.close()])
  }
  log.info('stopped')
}
