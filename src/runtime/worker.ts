import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import { sweepIdempotencyKeys } from '../../db/queries/idempotency.ts'
import type { Config } from '../config.ts'
import { work } from '../delivery/worker-loop.ts'
import { OperatorError } from '../errors.ts'
import { openDatabase, WORKER_STATEMENT_MS } from './database.ts'
import { createLoggerOptions } from './logging.ts'
import { openMediaLibrary } from './media-library.ts'
import { NO_KEY, openNetworkContext, openPublisher } from './publisher.ts'
import { waitForStopSignal } from './signals.ts'

/**
 * Publishes due posts until the process gets a stop signal. Any number of workers can run on one database. While the
 * database is unavailable, a worker waits for it.
 */
export async function runWorker(config: Config, announce: () => void): Promise<void> {
  const stop = waitForStopSignal(config)
  const { stream, ...options } = (await createLoggerOptions(config.logLevel)) as LoggerOptions & {
    stream: DestinationStream
  }
  const log = pino(options, stream)
  const { db, close } = await openDatabase(config, {
    statementTimeoutMs: WORKER_STATEMENT_MS,
    log: (line) => process.stderr.write(`${line}\n`),
  })
  try {
    const { storage } = await openMediaLibrary(config, db)
    const publisher = openPublisher(config, await openNetworkContext(config, db), storage, log)
    if (!publisher) throw new OperatorError(NO_KEY)
    announce()
    await work(publisher, log, stop, () => sweepIdempotencyKeys(db))
  } finally {
    await close()
  }
}
