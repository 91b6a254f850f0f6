import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/client.ts'
import { missingPrograms, OWNER, postgresProgram, run, start } from '../faults/cluster/programs.ts'
import { openPooler } from '../helpers/pooler.ts'
import { freePorts } from '../helpers/ports.ts'
import { endChild } from '../helpers/processes.ts'
import { openTcpProxy } from '../helpers/tcp-proxy.ts'
import { until } from '../helpers/until.ts'

/*
 * Runs tests on Debian's PostgreSQL, which compiles plans, as the embedded one cannot: `own` with its own settings,
 * `compiled` with every plan compiled, `far` behind a PgBouncer with default settings and 150 ms.
 */

type Place = 'own' | 'compiled' | 'far'

/** The tests with the most statements. Far away, and with every plan compiled, a test takes many times as long. */
const FILES: Record<Place, string[]> = {
  own: ['test/db', 'test/posts', 'test/deliveries', 'test/accounts'],
  compiled: ['test/posts/list.test.ts', 'test/posts/find-include.test.ts'],
  far: ['test/posts/create.test.ts', 'test/posts/delete.test.ts'],
}

/** Test data need not survive a power cut. */
const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: '200' }

const [place = 'own', ...files] = process.argv.slice(2) as [Place?, ...string[]]
if (missingPrograms) throw new Error(missingPrograms)
const folder = mkdtempSync(join(tmpdir(), 'postroom-postgres-'))
if (OWNER !== undefined) chownSync(folder, OWNER, OWNER)
try {
  const server = await startDebian(place === 'compiled' ? { jit_above_cost: '0' } : {})
  try {
    process.exitCode = place === 'far' ? await runFar(server.url) : await runTests({ TEST_DATABASE_URL: server.url })
  } finally {
    await endChild(server.child, 'SIGQUIT')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function startDebian(settings: Record<string, string>) {
  const [port] = await freePorts(1)
  const data = join(folder, 'data')
  const options = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth=trust', '--username=postgres', '--no-sync']
  await run([postgresProgram('initdb'), '-D', data, ...options])
  const set = Object.entries({ ...SETTINGS, port, ...settings }).map(([name, value]) => `--${name}=${value}`)
  const child = start([postgresProgram('postgres'), '-D', data, ...set], join(folder, 'log'), { unprivileged: true })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await until('the server accepts connections', async () => {
    const db = connect({ url, poolMax: 1 })
    const query = db.selectFrom('pg_settings' as never).execute()
    return query.then(Boolean, () => false).finally(() => db.destroy())
  })
  return { url, child }
}

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
