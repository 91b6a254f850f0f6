import type { ChildProcess } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect, type Db } from '../../../db/client.ts'
import { endChild } from '../../helpers/processes.ts'
import { postgresProgram, run, start } from './programs.ts'

/** One of the two servers. Which of them is the primary is told by who follows whom. */
export interface Server {
  name: string
  dataDir: string
  port: number
  log: string
  process?: ChildProcess
}

export const SUPERUSER = 'postgres'
/** What a standby calls itself, and what a primary waits for. */
const STANDBY = 'standby'
const POLL_MS = 20
const PATIENCE_MS = 60_000

/** Asks until `isSo`; throws where that takes too long. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(POLL_MS)) {
    if (await isSo().catch(() => false)) return
  }
  throw new Error(`${what}: not within ${PATIENCE_MS / 1_000} s`)
}

export const urlOf = ({ port }: Pick<Server, 'port'>, password: string, user = SUPERUSER, database = 'postroom') =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

/** The password is in PGPASSWORD. */
const conninfo = ({ port }: Server) => `host=127.0.0.1 port=${port} user=${SUPERUSER}`

/**
 * The same for both servers. `synchronous_commit` is `on`: a commit is answered when the standby has it on its disk.
 * `remote_apply` would wait until it can be read there too, which nobody does here, and a promotion replays all that is on
 * the disk before it is one. A server that was just promoted, and has no standby yet, waits for one as well: what is
 * acknowledged is on two disks, always.
 */
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 64MB
synchronous_standby_names = '${STANDBY}'
synchronous_commit = on
wal_retrieve_retry_interval = 200ms
# After a crash, the whole folder at once, and not file by file: seconds less.
recovery_init_sync_method = syncfs
# For pg_rewind, which looks up what has changed since the two went different ways.
wal_keep_size = 1GB
`

export async function initialise({ dataDir }: Server, password: string, passwordFile: string): Promise<void> {
  writeFileSync(passwordFile, password)
  const options = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth=scram-sha-256', `--username=${SUPERUSER}`]
  const line = [postgresProgram('initdb'), '-D', dataDir, '--data-checksums', '--no-sync', ...options]
  await run([...line, `--pwfile=${passwordFile}`])
  appendFileSync(join(dataDir, 'postgresql.conf'), SETTINGS)
}

/** Starts a server, as a standby of `primary` where it was made or rewound to be one. */
export async function startServer(server: Server, { primary, password }: { primary: Server; password: string }) {
  const own = { port: server.port, primary_conninfo: `${conninfo(primary)} application_name=${STANDBY}` }
  const args = Object.entries(own).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  server.process = start([postgresProgram('postgres'), '-D', server.dataDir, ...args], server.log, {
    unprivileged: true,
    env: { PGPASSWORD: password },
  })
  const child = server.process
  await until(`${server.name} accepts connections`, async () => {
    if (child.exitCode !== null) throw new Error(`${server.name} has ended: see ${server.log}`)
    const db = connect({ url: urlOf(server, password, SUPERUSER, 'postgres'), poolMax: 1 })
    return sql`select 1`.execute(db).then(
      () => db.destroy().then(() => true),
      () => db.destroy().then(() => false),
    )
  })
}

/** Makes `standby` from nothing. */
export async function copyFrom(primary: Server, standby: Server, password: string): Promise<void> {
  const line = [postgresProgram('pg_basebackup'), '-d', conninfo(primary), '-D', standby.dataDir, '-c', 'fast']
  await run(line, { PGPASSWORD: password })
  writeFileSync(join(standby.dataDir, 'standby.signal'), '')
}

/** Makes a server that was the primary, and went down, a standby of the one that is it now. */
export async function rewind(old: Server, primary: Server, { db, password }: { db: Db; password: string }) {
  // pg_rewind goes by the timeline that the last checkpoint has written down.
  await sql`checkpoint`.execute(db)
  const source = `--source-server=${conninfo(primary)} dbname=postgres`
  await run([postgresProgram('pg_rewind'), '-D', old.dataDir, source, '--no-sync'], { PGPASSWORD: password })
  writeFileSync(join(old.dataDir, 'standby.signal'), '')
}

export const promote = ({ dataDir }: Server) => run([postgresProgram('pg_ctl'), 'promote', '-D', dataDir, '-w', '-s'])

/** Waits until commits are answered again. */
export const untilReplicated = (db: Db) =>
  until('a synchronous standby', async () => {
    const { rows } = await sql`select from pg_stat_replication where sync_state = 'sync'`.execute(db)
    return rows.length > 0
  })

export async function stopServer({ process: child }: Server): Promise<void> {
  if (child) await endChild(child, 'SIGQUIT')
}
