import { connect, type Db } from '../../../db/client.ts'
import { openEmbedded } from '../../../db/embedded/server.ts'
import type { Config } from '../config/config.ts'

/** The time limit of one statement of a request. It is below the database budget of the whole request. */
export const REQUEST_STATEMENT_MS = 700
/** The time limit of one statement of a worker, which no client waits for. */
export const WORKER_STATEMENT_MS = 5_000

const NAMES_LOST =
  'A pooler loses prepared statements: none are used from now on. Set DATABASE_PREPARED_STATEMENTS=off in every process.'

interface Database {
  db: Db
  close(): Promise<void>
}

interface Options {
  /** The task of the process, such as `serve`: part of the name of its connections in pg_stat_activity. */
  purpose: string
  statementTimeoutMs?: number
  log?: (line: string) => void
}

/** Opens the database at DATABASE_URL. Without one, opens the embedded database, and starts it if it is not running. */
export async function openDatabase(config: Config, { purpose, log, ...options }: Options): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded({ dataDir: config.dataDir, ...(log && { log }) })
  const db = connect({
    url: (config.databaseUrl ?? embedded?.url) as string,
    poolMax: config.databasePoolMax,
    preparedStatements: config.preparedStatements,
    applicationName: `postroom ${purpose}`,
    ...(log && { onNamesLost: () => log(NAMES_LOST), onFewConnections: log }),
    ...options,
  })
  return {
    db,
    close: async () => {
      await db.destroy()
      await embedded?.close()
    },
  }
}
