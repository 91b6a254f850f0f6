import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/client.ts'
import { openEmbedded } from '../../db/embedded.ts'
import { migrate } from '../../db/migrate.ts'
import type { Person } from './data.ts'
import { type Running, startLimit, startService } from './processes.ts'
import type { Contest } from './rounds.ts'

/**
 * Does `work` on a new embedded database with the settings of the product, durable ones. `start` begins the service and the
 * yardstick on it, when everything is in it; both end with the work.
 */
export async function withContest(
  work: (databaseUrl: string, start: (people: Person[]) => Promise<Contest>) => Promise<void>,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'postroom-bench-'))
  // As root, the server runs as another user, who has to get in.
  await chmod(scratch, 0o755)
  const dataDir = join(scratch, 'data')
  const embedded = await openEmbedded({ dataDir })
  const servers: Running[] = []
  try {
    const db = connect({ url: embedded.url })
    await migrate(db).finally(() => db.destroy())
    await work(embedded.url, async (people) => {
      const service = await startService({ DATABASE_URL: embedded.url, MEDIA_DIR: join(scratch, 'media') })
      servers.push(service)
      const limit = await startLimit(embedded.url)
      servers.push(limit)
      return { service, limit, people, dataDir }
    })
  } finally {
    for (const server of servers) await server.stop()
    await embedded.close()
    await rm(scratch, { recursive: true, force: true })
  }
}
