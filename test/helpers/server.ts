import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../db/embedded/server.ts'

/** What makes a database survive a power cut costs time and is worth nothing here. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' }

/**
 * Does `work` with a Postgres server in TEST_DATABASE_URL: the one that is there, or an embedded one that lives as long
 * as the work. `scratch` is a folder that lives as long.
 */
export async function withServer<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'postroom-test-'))
  // As root, the server runs as another user, who has to get in.
  await chmod(scratch, 0o755)
  const embedded = process.env.TEST_DATABASE_URL
    ? undefined
    : await openEmbedded({ dataDir: join(scratch, 'data'), settings: SETTINGS })
  if (embedded) process.env.TEST_DATABASE_URL = embedded.url
  try {
    return await work(scratch)
  } finally {
    await embedded?.close()
    await rm(scratch, { recursive: true, force: true })
  }
}
