import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { openEmbedded } from '../../db/embedded/server.ts'
import { postgresPids } from './processes.ts'

/** Starts an embedded Postgres for one test, which may stop, freeze and kill it. */
export async function startOwnPostgres(t: Test, settings: Record<string, string> = {}) {
  const top = fs.mkdtempSync(join(tmpdir(), 'postroom-test-'))
  // Started by root, Postgres runs as another user, who needs access.
  fs.chmodSync(top, 0o755)
  const dataDir = join(top, 'data')
  let server = await openEmbedded({ dataDir, settings })
  t.teardown(async () => {
    await server.close()
    const real = fs.realpathSync(dataDir)
    if (real !== join(fs.realpathSync(top), 'data')) fs.rmSync(dirname(real), { recursive: true, force: true })
    fs.rmSync(top, { recursive: true, force: true })
  })
  return {
    url: server.url,
    /** The process ids of the server, the postmaster first. */
    pids: () => postgresPids(dataDir),
    stop: () => server.close(),
    start: async () => {
      server = await openEmbedded({ dataDir, settings })
    },
  }
}
