import { migrate } from '../../db/migrate.ts'
import { sweepIdempotencyKeys } from '../../db/queries/idempotency.ts'
import { findFirstUser } from '../../db/queries/people.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import type { Connecting } from '../accounts/connect.ts'
import { buildApp } from '../app.ts'
import { print } from '../cli/output.ts'
import type { Config } from '../config.ts'
import { work } from '../delivery/worker-loop.ts'
import { OperatorError } from '../errors.ts'
import { createFetch } from '../media/fetch.ts'
import { openDatabase, REQUEST_STATEMENT_MS, WORKER_STATEMENT_MS } from './database.ts'
import { seedDemo } from './demo.ts'
import { openLibrary } from './media.ts'
import { NO_KEY, openNetworks, openPublisher } from './publisher.ts'
import { drain, listen, loggerOptions, stopSignal } from './server.ts'

interface Options {
  json?: boolean
}

/** The API alone. It serves also while the database is away, and answers 503 meanwhile. */
export const serve = (config: Config, options: Options) => run(config, options, false)

/** Everything from nothing: database, tables, something to try, the API, a worker. */
export const start = (config: Config, options: Options) => run(config, options, true)

/** Runs the API until the process is told to stop; with `whole`, everything else as well. */
async function run(config: Config, { json }: Options, whole: boolean): Promise<void> {
  const stop = stopSignal()
  const logger = await loggerOptions(config.logLevel)
  const database = await openDatabase(config, {
    statementTimeoutMs: REQUEST_STATEMENT_MS,
    log: (line) => process.stderr.write(`${line}\n`),
  })
  let app: Awaited<ReturnType<typeof buildApp>> | undefined
  let worker: Awaited<ReturnType<typeof openDatabase>> | undefined
  let working: Promise<void> | undefined
  try {
    if (whole) await migrateFirst(config)
    const { db } = database
    const media = { ...(await openLibrary(config, db)), fetchFile: createFetch() }
    app = await buildApp({ logger, corsOrigins: config.corsOrigins, media, ...(await openNetworks(config, db)) })
    const address = await listen(app, config)
    const facts = { api: `${address}/api/v1`, docs: `${address}/docs` }
    if (whole) {
      // With connections of its own: it is more patient than a request.
      worker = await openDatabase(config, { statementTimeoutMs: WORKER_STATEMENT_MS })
      const { db } = worker
      const ways = await openNetworks(config, db)
      Object.assign(facts, await welcome(ways))
      // Last: it ends with the process, and would keep one that fails.
      const publisher = openPublisher(config, ways, media.storage, app.log)
      if (publisher) working = work(publisher, app.log, stop, () => sweepIdempotencyKeys(db))
      else app.log.error(NO_KEY)
    }
    if (json) print(facts, { json })
    else process.stdout.write(banner(facts))
    await stop
    app.log.info('stopping')
  } finally {
    await Promise.all([app && drain(app), working])
    await Promise.all([database.close(), worker?.close()])
  }
}

/** What a newcomer needs: a key, in an empty database that of a demo. */
async function welcome({ db, keyring }: Connecting): Promise<Record<string, string>> {
  const demo = await seedDemo(db, new Date(), keyring)
  const user = demo ? { id: demo.userId } : await findFirstUser(db)
  return { ...demo, ...(user && { newKey: keyCommand(user.id) }) }
}

const keyCommand = (userId: string) => `npm run -s postroom -- key create --user ${userId}`

const LABELS: Record<string, string> = {
  api: 'API',
  docs: 'Swagger UI',
  userId: 'Demo user',
  key: 'API key, shown this once',
  newKey: 'For a new key',
}

function banner(facts: Record<string, string>): string {
  const lines = Object.entries(facts).map(([name, value]) => `  ${(LABELS[name] ?? name).padEnd(26)}${value}`)
  return `\nPostroom is up. Ctrl-C stops it.\n\n${lines.join('\n')}\n\n`
}

/** On a connection of its own: a migration may take longer than a request. */
async function migrateFirst(config: Config): Promise<void> {
  const { db, close } = await openDatabase(config)
  try {
    await migrate(db)
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error
    const { message, code } = error as { message: string; code?: string }
    throw new OperatorError(
      `The database at DATABASE_URL does not let us in (${message || code}). Start it or correct the address; without DATABASE_URL the service brings its own.`,
    )
  } finally {
    await close()
  }
}
