import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/client.ts'
import { pgbouncer, start } from '../faults/cluster/programs.ts'
import { freePorts } from './ports.ts'
import { endChild } from './processes.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { until } from './until.ts'

/** Why this machine cannot run the tests with a pooler. */
export const missingPooler = !pgbouncer && 'needs pgbouncer'

/**
 * Starts PgBouncer in front of the server of a connection string, as a hosted pool has it: with default settings, and
 * those in `settings`. Returns the connection string through it.
 */
export async function openPooler(target: string, settings: Record<string, string> = {}) {
  // The embedded Postgres has only a socket, in a folder that PgBouncer may not enter.
  const link = await openTcpProxy(target)
  const folder = mkdtempSync(join(tmpdir(), 'postroom-pooler-'))
  chmodSync(folder, 0o755)
  const [port] = (await freePorts(1)) as [number]
  const url = new URL(link.url)
  writeFileSync(join(folder, 'users.txt'), `"${url.username}" ""\n`)
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    ...settings,
  }).map(([name, value]) => `${name} = ${value}\n`)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${url.port}\n[pgbouncer]\n${lines.join('')}`)
  const child = start([pgbouncer!, file], join(folder, 'log'), { unprivileged: true })
  url.port = `${port}`
  url.search = ''
  await until('PgBouncer accepts connections', async () => {
    const db = connect({ url: url.href, poolMax: 1 })
    return db
      .selectFrom('pg_settings' as never)
      .execute()
      .then(() => true)
      .catch(() => false)
      .finally(() => db.destroy())
  })
  const close = async () => {
    await endChild(child, 'SIGKILL')
    link.close()
    rmSync(folder, { recursive: true })
  }
  return { url: url.href, close }
}
