import type { ChildProcess } from 'node:child_process'
import { appendFileSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect, type Db } from '../../../db/client.ts'
import { endChild } from '../../helpers/processes.ts'
import { until } from '../../helpers/until.ts'
import { OWNER, postgresProgram, run, start } from './programs.ts'

/** The primary or a standby. */
export interface Server {
  name: string
  dataDir: string
  port: number
  log: string
  process?: ChildProcess
}

export const SUPERUSER = 'postgres'
/** The application name of every standby: a primary waits for one of them. */
const STANDBY = 'standby'
/** Names the primary of a standby. Unlike an argument of the server, it can be changed while the server runs. */
const FOLLOW = 'follow.conf'

export const urlOf = ({ port }: Pick<Server, 'port'>, password: string, user = SUPERUSER, database = 'postroom') =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

/** The connection string. It lacks the password, which is passed in PGPASSWORD. */
const conninfo = ({ port }: Server) => `host=127.0.0.1 port=${port} user=${SUPERUSER}`

/**
 * Settings of all servers. With `synchronous_commit = on`, a commit returns when a standby has written it to disk.
 * `remote_apply` is not needed: nothing reads from the standby, and a promotion replays all that is on its disk first.
 * A promoted server without a standby makes commits wait for one, so that every acknowledged commit is on two disks.
 */
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 64MB
synchronous_standby_names = 'ANY 1 (${STANDBY})'
synchronous_commit = on
wal_retrieve_retry_interval = 200ms
# Syncs the file system after a crash, not file by file, which takes seconds longer.
recovery_init_sync_method = syncfs
# pg_rewind reads the changes since the timelines diverged.
wal_keep_size = 1GB
include_if_exists = '${FOLLOW}'
`

export async function initialise({ dataDir }: Server, password: string, passwordFile: string): Promise<void> {
  writeFileSync(passwordFile, password)
  const options = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth=scram-sha-256', `--username=${SUPERUSER}`]
  const line = [postgresProgram('initdb'), '-D', dataDir, '--data-checksums', '--no-sync', ...options]
  await run([...line, `--pwfile=${passwordFile}`])
  appendFileSync(join(dataDir, 'postgresql.conf'), SETTINGS)
}

/** Starts a server. With a `standby.signal` in its data directory, it follows `primary`. */
export async function startServer(server: Server, { primary, password }: { primary: Server; password: string }) {
  writeFollow(server, primary)
  const line = [postgresProgram('postgres'), '-D', server.dataDir, '-c', `port=${server.port}`]
  const child = start(line, server.log, {
    unprivileged: true,
    env: { PGPASSWORD: password },
  })
  server.process = child
  await until(`server ${server.name} accepts connections`, async () => {
    if (child.exitCode !== null)
      throw new Error(`Server ${server.name} ended with ${child.exitCode}: see ${server.log}`)
    const db = connect({ url: urlOf(server, password, SUPERUSER, 'postgres'), poolMax: 1 })
    try {
      await sql`select 1`.execute(db)
      return true
    } catch {
      return false
    } finally {
      await db.destroy()
    }
  })
}

function writeFollow({ dataDir }: Server, primary: Server): void {
  const path = join(dataDir, FOLLOW)
  writeFileSync(path, `primary_conninfo = '${conninfo(primary)} application_name=${STANDBY}'\n`)
  // pg_rewind writes it too.
  if (OWNER !== undefined) chownSync(path, OWNER, OWNER)
}

/** Leads a running standby to another primary. */
export function follow(standby: Server, primary: Server): void {
  writeFollow(standby, primary)
  standby.process?.kill('SIGHUP')
}

/**
 * The standby that has most of what the dead primary wrote. With `ANY 1`, that is every acknowledged commit. A standby
 * that was restarted has a receive position only when it has replayed what is on its disk, and that position begins
 * before it.
 */
export async function findMostAdvanced(standbys: Server[], password: string): Promise<Server> {
  const positions = await Promise.all(
    standbys.map(async (standby) => {
      const db = connect({ url: urlOf(standby, password, SUPERUSER, 'postgres'), poolMax: 1 })
      const readPosition = async () => {
        const { rows } = await sql<{ bytes: string | null }>`
          select pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')::text as bytes
          where pg_last_wal_receive_lsn() is not null`.execute(db)
        return rows[0]?.bytes
      }
      try {
        return { standby, bytes: BigInt(await until(`standby ${standby.name} has replayed its disk`, readPosition)) }
      } finally {
        await db.destroy()
      }
    }),
  )
  return positions.reduce((best, each) => (each.bytes > best.bytes ? each : best)).standby
}

/** Creates a standby as a copy of the primary. */
export async function copyFrom(primary: Server, standby: Server, password: string): Promise<void> {
  const line = [postgresProgram('pg_basebackup'), '-d', conninfo(primary), '-D', standby.dataDir, '-c', 'fast']
  await run(line, { PGPASSWORD: password })
  writeFileSync(join(standby.dataDir, 'standby.signal'), '')
}

/** Turns the old primary, which is down, into a standby of the new one. */
export async function rewind(old: Server, primary: Server, { db, password }: { db: Db; password: string }) {
  // pg_rewind reads the timeline from the last checkpoint.
  await sql`checkpoint`.execute(db)
  const source = `--source-server=${conninfo(primary)} dbname=postgres`
  await run([postgresProgram('pg_rewind'), '-D', old.dataDir, source, '--no-sync'], { PGPASSWORD: password })
  writeFileSync(join(old.dataDir, 'standby.signal'), '')
}

export const promote = ({ dataDir }: Server) => run([postgresProgram('pg_ctl'), 'promote', '-D', dataDir, '-w', '-s'])

/** Waits until `count` standbys receive everything, and commits return. */
export const untilReplicated = (db: Db, count: number) =>
  until(`${count} standbys are synchronous`, async () => {
    const { rows } = await sql`select from pg_stat_replication where sync_state = 'quorum'`.execute(db)
    return rows.length >= count
  })

export async function stopServer({ process: child }: Server): Promise<void> {
  if (child) await endChild(child, 'SIGQUIT')
}
