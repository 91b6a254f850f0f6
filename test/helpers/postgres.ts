import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../db/embedded/server.ts'

/** Test data need not survive a power cut. Without durability, commits are faster. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '200' }

/**
 * Runs `work` with a Postgres server in TEST_DATABASE_URL: the one that the variable names, or an embedded one that is
 * stopped afterwards. `scratch` is a temporary folder, removed afterwards.
 */
export async function withPostgres<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'postroom-test-'))
  // Started by root, Postgres runs as another user, who needs access.
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
