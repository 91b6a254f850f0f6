import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/client.ts'
import { openEmbedded } from '../../db/embedded/server.ts'
import { migrate } from '../../db/migrate.ts'
import type { Person } from './data.ts'
import { type Running, startLimit, startService } from './processes.ts'
import type { Contest } from './rounds.ts'

export interface Database {
  url: string
  /** Where Postgres keeps its data. */
  dataDir: string
  /** A folder that lives as long. */
  scratch: string
}

/** Does `work` on a new, migrated embedded database with the settings of the product, durable ones. */
export async function withDatabase(work: (database: Database) => Promise<unknown>): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'postroom-bench-'))
  // As root, the server runs as another user, who has to get in.
  await chmod(scratch, 0o755)
  const dataDir = join(scratch, 'data')
  const { url, close } = await openEmbedded({ dataDir })
  try {
    const db = connect({ url })
    await migrate(db).finally(() => db.destroy())
    await work({ url, dataDir, scratch })
  } finally {
    await close()
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * The same with something to compare: `start` begins the service and the yardstick, when everything is in the database;
 * both end with the work.
 */
export function withContest(
  work: (databaseUrl: string, start: (people: Person[]) => Promise<Contest>) => Promise<void>,
): Promise<void> {
  return withDatabase(async ({ url, dataDir, scratch }) => {
    const servers: Running[] = []
    try {
      await work(url, async (people) => {
        const service = await startService({ DATABASE_URL: url, MEDIA_DIR: scratch })
        servers.push(service)
        const limit = await startLimit(url)
        servers.push(limit)
        return { service, limit, people, dataDir }
      })
    } finally {
      for (const server of servers) await server.stop()
    }
  })
}
