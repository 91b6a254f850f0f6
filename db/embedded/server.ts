import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { hasSqlstate, isServerBusy, SQLSTATE } from '../sqlstate.ts'
import {
  canEnter,
  childOf,
  complaint,
  findBinaries,
  findOrInitialise,
  give,
  majorVersion,
  type Owner,
  ownerOf,
} from './files.ts'

/** A claim on a running server. */
export interface Embedded {
  /** For node-postgres and what is built on it. */
  url: string
  /** Gives the claim up; the last process to do so stops the server, and waits until it is down. */
  close(): Promise<void>
}

/** What @types/pg leaves out. */
type Client = pg.Client & { ref(): void; unref(): void }

interface Options {
  dataDir: string
  settings?: Record<string, string>
  log?: (line: string) => void
}

/** Advisory lock in `postroom`: held shared by every process with a claim, tried exclusively by one that leaves. */
const CLAIM = 0x706f7374
/** Names the socket file, nothing more: the server does not listen on TCP. */
const PORT = 5432
const POLL_MS = 25
/** For a crash recovery, or a checkpoint on the way down. */
const PATIENCE_MS = 30_000
/** What another server says to one that starts: it is there as well, or (backends at work, most of all) not yet gone. */
const IN_THE_WAY = /lock file .*(already exists|is empty|No such file)|shared memory block/

/**
 * Joins the embedded server of `dataDir`: the one that runs already, else a new one, the folder being initialised the
 * first time. `settings` (of postgresql.conf) count for the process that starts it. Processes share one server; should
 * it die under a claim, it is started again. As root, in a folder closed to others (as mkdtemp's are), `dataDir` becomes
 * a link to /var/lib/postroom, and removing it does not remove the data.
 * @throws Error with one line that says what is wrong and what to do.
 */
export async function openEmbedded({ dataDir, settings = {}, log = () => {} }: Options): Promise<Embedded> {
  const leaving = new AbortController()
  let folder: string
  let claim: Promise<Client | undefined>
  const take = async () => keep(await joinOrStart(folder, settings, leaving.signal))

  /** Watches over a claim without keeping the process alive for it. */
  function keep(client: Client): Client {
    client.unref()
    client.once('end', () => {
      if (!leaving.signal.aborted) claim = takeAgain()
    })
    return client
  }

  async function takeAgain(): Promise<Client | undefined> {
    log('The embedded Postgres has gone away: starting it again')
    for (let said = ''; ; ) {
      try {
        await sleep(1000, undefined, { ref: false, signal: leaving.signal })
        return await take()
      } catch (error) {
        if (leaving.signal.aborted) return undefined
        const line = explain(error)
        if (line !== said) log(line)
        said = line
      }
    }
  }

  let url: string
  try {
    folder = await findOrInitialise(resolve(dataDir), settings.fsync !== 'off', log)
    const client = await take()
    claim = Promise.resolve(client)
    url = urlOf(client.host)
  } catch (error) {
    throw new Error(explain(error), { cause: error })
  }

  let closed: Promise<void> | undefined
  const close = async () => {
    leaving.abort()
    const client = await claim
    if (client && (await leave(client, folder))) return
    // Its connection broke a moment ago: without a claim, it may be the last one all the same.
    const another = await tryJoin(folder).catch(() => undefined)
    if (another) await leave(another, folder)
  }
  return {
    url,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** The host in the authority is unused, but makes it a URL to everybody; `host` in the query is what counts. */
const urlOf = (socketDir: string) =>
  `postgresql://postgres@localhost:${PORT}/postroom?host=${encodeURIComponent(socketDir)}&sslmode=disable`

const codeOf = (error: unknown) => (error as { code?: string }).code ?? ''

function explain(error: unknown): string {
  const reason = `${error instanceof Error ? error.message : error}`.replace(/\s+/g, ' ').replace(/\.$/, '')
  return `Embedded Postgres: ${reason}. Or set DATABASE_URL to a PostgreSQL server of your own.`
}

/** Gives a connection that holds a claim. */
async function joinOrStart(folder: string, settings: Record<string, string>, signal: AbortSignal): Promise<Client> {
  let server: Server | undefined
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const client = await tryJoin(folder)
    if (client) return client
    if (!server || server.ended) {
      signal.throwIfAborted()
      if (server?.failure && !IN_THE_WAY.test(server.failure)) break
      if (!postmasterLives(folder)) server = start(folder, settings)
    }
    await sleep(POLL_MS)
  }
  if (server?.failure) throw new Error(`the server of ${folder} did not start (server.log there): ${server.failure}`)
  throw new Error(
    `the server of ${folder} does not answer: see server.log there, or end process ${lockOf(folder)?.pid}`,
  )
}

/** Gives a connection that holds a claim, or nothing if there is no server to take it: none runs, it starts, it stops. */
async function tryJoin(folder: string): Promise<Client | undefined> {
  const { socketDir: host, status } = lockOf(folder) ?? {}
  if (!host || status !== 'ready') return undefined
  try {
    const client = await connect(host, 'postroom').catch(async (error) => {
      if (!hasSqlstate(error, SQLSTATE.INVALID_CATALOG_NAME)) throw error
      await createDatabase(host)
      return connect(host, 'postroom')
    })
    await client.query('select pg_advisory_lock_shared($1)', [CLAIM])
    // One who stops the server holds the lock to its end, which gives it to us: too late, but the file told before.
    if (lockOf(folder)?.status === 'ready') return client
    await client.end()
    return undefined
  } catch (error) {
    if (!isPassing(error)) throw error
    return undefined
  }
}

async function connect(host: string, database: string): Promise<Client> {
  const client = new pg.Client({
    host,
    port: PORT,
    user: 'postgres',
    database,
    ssl: false,
    connectionTimeoutMillis: 5000,
    application_name: 'postroom: claim on the embedded server',
  }) as Client
  client.on('error', () => {}) // 'end' follows and is listened to
  await client.connect()
  return client
}

async function createDatabase(host: string): Promise<void> {
  const client = await connect(host, 'postgres')
  try {
    await client.query('create database postroom')
  } catch (error) {
    // Another process may have created it first.
    if (!hasSqlstate(error, SQLSTATE.DUPLICATE_DATABASE, SQLSTATE.UNIQUE_VIOLATION)) throw error
  } finally {
    await client.end()
  }
}

/** Socket errors, a server that stops, and one without a free connection. */
const isPassing = (error: unknown) => !(error instanceof pg.DatabaseError) || isServerBusy(error)

/** What a postmaster writes into the folder it runs in. */
function lockOf(folder: string) {
  try {
    const lines = fs.readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), socketDir: lines[4] ?? '', status: lines[7]?.trim() }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** One that we have started. */
interface Server {
  ended: boolean
  /** Why, if nobody stopped it. */
  failure?: string
}

function start(folder: string, settings: Record<string, string>): Server {
  const made = fs.readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  if (made !== majorVersion()) {
    throw new Error(
      `${folder} is of PostgreSQL ${made}, this is ${majorVersion()}: move the data with ${made}'s pg_dump`,
    )
  }
  const owner = ownerOf(folder)
  if (!canEnter(folder, owner)) throw new Error(`uid ${owner.uid} can't enter ${folder}: let it pass the folders above`)
  const socketDir = makeSocketDir(folder, owner)
  const options = {
    // Statements that fail are the caller's to log: there are captions in their text.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    ...settings,
    listen_addresses: '',
    unix_socket_directories: socketDir,
    port: String(PORT),
  }
  const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = fs.constants
  const log = fs.openSync(join(folder, 'server.log'), O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
  give(join(folder, 'server.log'), owner)
  const from = fs.fstatSync(log).size
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(findBinaries(folder, owner), 'postgres'), ['-D', folder, ...args], {
    ...childOf(owner),
    // A session of its own: Ctrl-C in our terminal must not stop it before we have finished.
    detached: true,
    stdio: ['ignore', log, log],
  })
  child.unref()
  const server: Server = { ended: false }
  child.once('error', (error) => Object.assign(server, { ended: true, failure: error.message }))
  child.once('exit', (code) => {
    server.ended = true
    if (code) server.failure = complaint(readFrom(join(folder, 'server.log'), from))
    removeSocketDir(socketDir)
  })
  fs.closeSync(log)
  return server
}

/** Nothing where the file is gone: somebody may have removed the whole folder. */
function readFrom(path: string, position: number): string {
  try {
    return fs.readFileSync(path).subarray(position).toString()
  } catch {
    return ''
  }
}

/** A socket's path has at most 107 bytes: too few for many a checkout, or TMPDIR (which may be a session's own, too). */
function socketDirOf(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return `/tmp/postroom-${fs.statSync(folder).uid}-${hash}`
}

function makeSocketDir(folder: string, owner: Owner): string {
  const path = socketDirOf(folder)
  fs.mkdirSync(path, { recursive: true, mode: 0o700 })
  try {
    const { uid, mode } = fs.lstatSync(path)
    if (![owner.uid, process.getuid?.()].includes(uid) || (mode & 0o170777) !== 0o040700) {
      throw new Error(`${path} is not a folder of uid ${owner.uid} with mode 0700: remove it`)
    }
    give(path, owner)
  } catch (error) {
    // Removed by a process that has just stopped its server: ours fails to start, then, and is started again.
    if (codeOf(error) !== 'ENOENT') throw error
  }
  return path
}

function removeSocketDir(path: string): void {
  try {
    fs.rmdirSync(path)
  } catch {
    // Removed already, or in use by the next server.
  }
}

/**
 * Whether the folder's lock is a running postmaster's. A lock that outlived its process is Postgres's own to clear, but
 * Postgres gives up where the pid has passed to another program (usual in containers) or to a zombie: those we clear.
 */
function postmasterLives(folder: string): boolean {
  const pid = lockOf(folder)?.pid
  const found = pid ? processOf(pid) : undefined
  if (!found) return false
  if (found.program?.endsWith('postgres') && !/[ZX]/.test(found.state ?? '')) return true
  fs.rmSync(join(folder, 'postmaster.pid'), { force: true })
  fs.rmSync(join(socketDirOf(folder), `.s.PGSQL.${PORT}.lock`), { force: true })
  return false
}

/** What runs as `pid`, from sources open to every user; nothing for a pid that is free or hidden. */
function processOf(pid: number): Record<string, string> | undefined {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'state=', '-o', 'comm=', '-p', `${pid}`], { encoding: 'utf8' })
    return /(?<state>\S+)\s+(?<program>.*)/.exec(stdout)?.groups
  }
  try {
    return /\((?<program>.*)\) (?<state>.)/s.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))?.groups
  } catch {
    return undefined
  }
}

/**
 * Gives up a claim; without any other, stops the server. Gives false where the connection is broken: the server has gone,
 * or another process stops it, or it is that alone.
 */
async function leave(client: Client, folder: string): Promise<boolean> {
  client.ref()
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [CLAIM])
    const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [CLAIM])
    if (rows[0].last) await stop(client, folder)
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function stop(client: Client, folder: string): Promise<void> {
  const pid = lockOf(folder)?.pid
  // Fast shutdown. A backend sends it, not we: whatever has become of pids out here, the one it reads is its postmaster.
  await client.query(`copy (select where false) to program 'kill -INT $(head -n 1 postmaster.pid)'`).catch(() => {})
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (lockOf(folder)?.pid !== pid) break
  }
  removeSocketDir(socketDirOf(folder))
}
