import { type LoggerOptions, pino } from 'pino'
import type { Db } from '../../db/client.ts'
import { sandboxStore } from '../../db/queries/sandbox.ts'
import type { Connecting } from '../accounts/connect.ts'
import type { Config } from '../config.ts'
import { createPublicFetch } from '../internet/public-fetch.ts'
import { createNetworks } from '../platforms/networks.ts'
import type { Log } from '../publisher/deliver.ts'
import { createPublisher, type Publisher } from '../publisher/publisher.ts'
import { loggerOptions, stopSignal } from '../server.ts'
import type { Storage } from '../storage/storage.ts'
import { work } from '../worker.ts'
import { openDatabase } from './database.ts'
import { openKeyring, reportLostCredentials } from './keyring.ts'
import { openLibrary } from './library.ts'
import { print } from './output.ts'

/** How long the database may take over one statement of a request, or of a worker. */
export const STATEMENT_TIMEOUT_MS = 5_000

/** The way to the networks, and to the accounts there. */
export const openNetworks = async (config: Config, db: Db): Promise<Connecting> => ({
  db,
  networks: createNetworks(sandboxStore(db)),
  keyring: await openKeyring(config),
  fetch: createPublicFetch(),
})

export function openPublisher(
  { publishLatenessMaxMs }: Config,
  { db, networks, keyring, fetch }: Connecting,
  storage: Storage,
  log: Log,
): Publisher {
  // Not waited for: the database may be away, and then its failure is told by those who need it.
  if (keyring) reportLostCredentials(db, keyring, log).catch(() => {})
  return createPublisher({
    db,
    networks,
    storage,
    openCredentials: (accountId, sealed) => {
      if (!keyring) throw new Error('CREDENTIALS_KEY is not set')
      return keyring.open(accountId, sealed)
    },
    fetch,
    latenessMaxMs: publishLatenessMaxMs,
    clock: () => null,
    uptimeMs: () => performance.now(),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    log,
  })
}

/** Publishes what is due until the process is told to stop, beside any number of others. Waits for a database that is away. */
export async function runWorker(config: Config, { json }: { json?: boolean }): Promise<void> {
  const stop = stopSignal()
  const { stream, ...options } = (await loggerOptions(config.logLevel)) as LoggerOptions & {
    stream: NodeJS.WriteStream
  }
  const log = pino(options, stream)
  const { db, close } = await openDatabase(config, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    log: (line) => process.stderr.write(`${line}\n`),
  })
  try {
    const { storage } = await openLibrary(config, db)
    const publisher = openPublisher(config, await openNetworks(config, db), storage, log)
    if (json) print({ worker: 'up' }, { json })
    else process.stdout.write('Postroom publishes what is due. Ctrl-C stops it.\n')
    await work(publisher, log, stop)
  } finally {
    await close()
  }
}
