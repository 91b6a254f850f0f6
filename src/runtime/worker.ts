import { type DestinationStream, type LoggerOptions, pino } from 'pino'
import { sweepIdempotencyKeys } from '../../db/queries/idempotency.ts'
import { print } from '../cli/output.ts'
import type { Config } from '../config.ts'
import { work } from '../delivery/worker-loop.ts'
import { OperatorError } from '../errors.ts'
import { openDatabase, WORKER_STATEMENT_MS } from './database.ts'
import { openLibrary } from './media.ts'
import { NO_KEY, openNetworks, openPublisher } from './publisher.ts'
import { loggerOptions, stopSignal } from './server.ts'

/** Publishes what is due until the process is told to stop, beside any number of others. Waits for a database that is away. */
export async function runWorker(config: Config, { json }: { json?: boolean }): Promise<void> {
  const stop = stopSignal()
  const { stream, ...options } = (await loggerOptions(config.logLevel)) as LoggerOptions & {
    stream: DestinationStream
  }
  const log = pino(options, stream)
  const { db, close } = await openDatabase(config, {
    statementTimeoutMs: WORKER_STATEMENT_MS,
    log: (line) => process.stderr.write(`${line}\n`),
  })
  try {
    const { storage } = await openLibrary(config, db)
    const publisher = openPublisher(config, await openNetworks(config, db), storage, log)
    if (!publisher) throw new OperatorError(NO_KEY)
    if (json) print({ worker: 'up' }, { json })
    else process.stdout.write('Postroom publishes what is due. Ctrl-C stops it.\n')
    await work(publisher, log, stop, () => sweepIdempotencyKeys(db))
  } finally {
    await close()
  }
}
