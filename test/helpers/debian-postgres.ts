import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/client.ts'
import { missingPrograms, OWNER, postgresProgram, run, start } from '../faults/cluster/programs.ts'
import { freePorts } from './ports.ts'
import { endChild } from './processes.ts'
import { until } from './until.ts'

/**
 * Runs `work` with a new server of Debian's PostgreSQL, which compiles plans, as the embedded one cannot. It has the
 * settings of the package, and these beside them.
 */
export async function withDebianPostgres<T>(
  settings: Record<string, string>,
  work: (server: { url: string; dataDir: string }) => Promise<T>,
): Promise<T> {
  if (missingPrograms) throw new Error(missingPrograms)
  const folder = mkdtempSync(join(tmpdir(), 'postroom-postgres-'))
  if (OWNER !== undefined) chownSync(folder, OWNER, OWNER)
  try {
    const [port] = await freePorts(1)
    const dataDir = join(folder, 'data')
    const options = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth=trust', '--username=postgres', '--no-sync']
    await run([postgresProgram('initdb'), '-D', dataDir, ...options])
    const all = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port,
      ...settings,
    }
    const set = Object.entries(all).map(([name, value]) => `--${name}=${value}`)
    const child = start([postgresProgram('postgres'), '-D', dataDir, ...set], join(folder, 'log'), {
      unprivileged: true,
    })
    try {
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`
      await until('the server accepts connections', () => isReachable(url))
      return await work({ url, dataDir })
    } finally {
      await endChild(child, 'SIGQUIT')
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isReachable(url: string): Promise<boolean> {
  const db = connect({ url, poolMax: 1 })
  const query = db.selectFrom('pg_settings' as never).execute()
  return query.then(Boolean, () => false).finally(() => db.destroy())
}
