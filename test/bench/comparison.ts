import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/client.ts'
import { openEmbedded } from '../../db/embedded/server.ts'
import { migrate } from '../../db/migrate.ts'
import { withDebianPostgres } from '../helpers/debian-postgres.ts'
import type { Person } from './data.ts'
import { type Running, startBaseline, startService } from './processes.ts'
import type { Comparison } from './rounds.ts'

export interface Database {
  url: string
  /** Data directory of Postgres. */
  dataDir: string
  /** Temporary folder, removed afterwards. */
  scratch: string
}

/**
 * Runs `work` on a new, migrated database with the durable settings of production: the embedded one, or one of Debian's
 * PostgreSQL with its defaults.
 */
export async function withDatabase(
  work: (database: Database) => Promise<unknown>,
  { isDebian = false } = {},
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'postroom-bench-'))
  // Started by root, Postgres runs as another user, who needs access.
  await chmod(scratch, 0o755)
  const migrateAndWork = async (database: Omit<Database, 'scratch'>) => {
    const db = connect({ url: database.url })
    await migrate(db).finally(() => db.destroy())
    await work({ ...database, scratch })
  }
  try {
    if (isDebian) return await withDebianPostgres({}, migrateAndWork)
    const dataDir = join(scratch, 'data')
    const { url, close } = await openEmbedded({ dataDir })
    await migrateAndWork({ url, dataDir }).finally(close)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Runs `work` on such a database. `start` starts the service and the baseline; call it when the data is loaded. Both
 * are stopped afterwards.
 */
export function withComparison(
  work: (databaseUrl: string, start: (people: Person[]) => Promise<Comparison>) => Promise<void>,
): Promise<void> {
  return withDatabase(async ({ url, dataDir, scratch }) => {
    const servers: Running[] = []
    try {
      await work(url, async (people) => {
        const service = await startService({ DATABASE_URL: url, MEDIA_DIR: scratch })
        servers.push(service)
        const baseline = await startBaseline(url)
        servers.push(baseline)
        return { service, baseline, people, dataDir }
      })
    } finally {
      for (const server of servers) await server.stop()
    }
  })
}
