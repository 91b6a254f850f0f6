import { connect, type Db } from '../../db/client.ts'
import { openEmbedded } from '../../db/embedded/server.ts'
import type { Config } from '../config.ts'

/** How long the database may take over one statement of a request: less than a request has in all. */
export const REQUEST_STATEMENT_MS = 700
/** The same, of a worker, for whom nobody waits. */
export const WORKER_STATEMENT_MS = 5_000

export interface Database {
  db: Db
  close(): Promise<void>
}

interface Options {
  statementTimeoutMs?: number
  log?: (line: string) => void
}

/** Opens the configured database; the embedded one, which is started if nobody did yet, where none is configured. */
export async function openDatabase(config: Config, { log, ...options }: Options = {}): Promise<Database> {
  const embedded = config.databaseUrl ? undefined : await openEmbedded({ dataDir: config.dataDir, ...(log && { log }) })
  const db = connect({
    url: (config.databaseUrl ?? embedded?.url) as string,
    poolMax: config.databasePoolMax,
    preparedStatements: config.preparedStatements,
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
