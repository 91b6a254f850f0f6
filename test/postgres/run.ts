import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { withDebianPostgres } from '../helpers/debian-postgres.ts'
import { openPooler } from '../helpers/pooler.ts'
import { openTcpProxy } from '../helpers/tcp-proxy.ts'

/*
 * Runs tests on Debian's PostgreSQL: `own` with its own settings, `compiled` with every plan compiled, `far` behind a
 * PgBouncer with default settings and 150 ms.
 */

type Place = 'own' | 'compiled' | 'far'

/** The tests with the most statements. Far away, and with every plan compiled, a test takes many times as long. */
const FILES: Record<Place, string[]> = {
  own: globSync('test/{db,posts,deliveries,accounts}/!(*.slow).test.ts'),
  compiled: ['test/posts/list.test.ts', 'test/posts/find-include.test.ts'],
  far: ['test/posts/create.test.ts', 'test/posts/delete.test.ts'],
}

/** Test data need not survive a power cut. */
const SETTINGS = { fsync: 'off', max_connections: '200' }

const [place = 'own', ...files] = process.argv.slice(2) as [Place?, ...string[]]
const settings = { ...SETTINGS, ...(place === 'compiled' && { jit_above_cost: '0' }) }
process.exitCode = await withDebianPostgres(settings, ({ url }) =>
  place === 'far' ? runFar(url) : runTests({ TEST_DATABASE_URL: url }),
)

/** Databases are created past the pooler, which would keep connections to the template. */
async function runFar(url: string): Promise<number> {
  const pooler = await openPooler(url)
  const link = await openTcpProxy(pooler.url)
  link.delay(75)
  try {
    return await runTests({ TEST_DATABASE_URL: url, TEST_SERVICE_URL: link.url })
  } finally {
    link.close()
    await pooler.close()
  }
}

async function runTests(env: Record<string, string>): Promise<number> {
  const named = files.length > 0 ? files : FILES[place]
  const tests = spawn(process.execPath, ['.ci/test.ts', ...named], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  // This process continues, to stop the server.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
  await once(tests, 'close')
  return tests.exitCode ?? 1
}
