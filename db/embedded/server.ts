import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { hasSqlstate, isServerBusy, SQLSTATE } from '../sqlstate.ts'
import { findOrInitialise } from './data-folder.ts'
import {
  isPostmasterRunning,
  PORT,
  type Postmaster,
  readLock,
  removeSocketDir,
  socketDirOf,
  startPostmaster,
} from './postmaster.ts'

/** A claim on a running server. */
export interface Embedded {
  /** A connection string for node-postgres and libraries on top of it. */
  url: string
  /** Releases the claim. The last process to do so stops the server, and waits until it is down. */
  close(): Promise<void>
}

/** `ref` and `unref` are missing in @types/pg. */
type Client = pg.Client & { ref(): void; unref(): void }

interface Options {
  dataDir: string
  settings?: Record<string, string>
  log?: (line: string) => void
}

/**
 * An advisory lock in the database `postroom`. Each claim holds it shared. A process that leaves tries it exclusively.
 */
const CLAIM = 0x706f7374
const POLL_MS = 25
const RESTART_MS = 1_000
const CONNECT_MS = 5_000
/** The limit for a start with crash recovery, and for a stop with a checkpoint. */
const SERVER_MS = 30_000
/** Messages of a server that cannot start because another one runs, or has not yet ended completely. */
const IS_OCCUPIED = /lock file .*(already exists|is empty|No such file)|shared memory block/

/**
 * Joins the embedded server of `dataDir`, and starts it if it is not running. The first time, it initialises the
 * folder. `settings` (of postgresql.conf) apply if this process starts the server. Processes share one server. If it
 * dies while this process has a claim, it is started again. As root, in a folder closed to others (such as mkdtemp's),
 * `dataDir` becomes a link to /var/lib/postroom, and removing it does not remove the data.
 * @throws Error with one line that says what is wrong and what to do.
 */
export async function openEmbedded({ dataDir, settings = {}, log = () => {} }: Options): Promise<Embedded> {
  const leaving = new AbortController()
  let folder: string
  let claim: Promise<Client | undefined>
  const takeClaim = async () => watch(await joinOrStart(folder, settings, leaving.signal))

  /** Takes the claim again when its connection ends. The watch does not keep the process alive. */
  function watch(client: Client): Client {
    client.unref()
    client.once('end', () => {
      if (!leaving.signal.aborted) claim = retakeClaim()
    })
    return client
  }

  async function retakeClaim(): Promise<Client | undefined> {
    log('The embedded Postgres has stopped: starting it again')
    for (let logged = ''; ; ) {
      try {
        await sleep(RESTART_MS, undefined, { ref: false, signal: leaving.signal })
        return await takeClaim()
      } catch (error) {
        if (leaving.signal.aborted) return undefined
        const line = explain(error)
        if (line !== logged) log(line)
        logged = line
      }
    }
  }

  let url: string
  try {
    folder = await findOrInitialise(resolve(dataDir), settings.fsync !== 'off', log)
    const client = await takeClaim()
    claim = Promise.resolve(client)
    url = urlOf(client.host)
  } catch (error) {
    throw new Error(explain(error), { cause: error })
  }

  const leave = async () => {
    leaving.abort()
    const client = await claim
    if (client && (await releaseClaim(client, folder))) return
    // The connection is broken. This process may still be the last one, and then it has to stop the server.
    const another = await tryJoin(folder).catch(() => undefined)
    if (another) await releaseClaim(another, folder)
  }
  let closed: Promise<void> | undefined
  return {
    url,
    close: () => {
      closed ??= leave()
      return closed
    },
  }
}

/**
 * The host of the authority is unused, but some URL parsers require one. `host` in the query is the one that counts.
 */
const urlOf = (socketDir: string) =>
  `postgresql://postgres@localhost:${PORT}/postroom?host=${encodeURIComponent(socketDir)}&sslmode=disable`

function explain(error: unknown): string {
  const reason = `${error instanceof Error ? error.message : error}`.replace(/\s+/g, ' ').replace(/\.$/, '')
  return `Embedded Postgres: ${reason}. Or set DATABASE_URL to a PostgreSQL server of your own.`
}

/** Returns a connection that holds a claim. */
async function joinOrStart(folder: string, settings: Record<string, string>, signal: AbortSignal): Promise<Client> {
  let postmaster: Postmaster | undefined
  for (const deadline = Date.now() + SERVER_MS; Date.now() < deadline; ) {
    const client = await tryJoin(folder)
    if (client) return client
    if (!postmaster || postmaster.hasEnded) {
      signal.throwIfAborted()
      if (postmaster?.failure && !IS_OCCUPIED.test(postmaster.failure)) break
      if (!isPostmasterRunning(folder)) postmaster = startPostmaster(folder, settings)
    }
    await sleep(POLL_MS)
  }
  if (postmaster?.failure) {
    throw new Error(`the server of ${folder} did not start (see server.log there): ${postmaster.failure}`)
  }
  const pid = readLock(folder)?.pid
  throw new Error(`the server of ${folder} does not respond: see server.log there, or end process ${pid}`)
}

/** Returns a connection that holds a claim, or undefined if the server is not running, is starting or is stopping. */
async function tryJoin(folder: string): Promise<Client | undefined> {
  const { socketDir, status } = readLock(folder) ?? {}
  if (!socketDir || status !== 'ready') return undefined
  try {
    const client = await connect(socketDir, 'postroom').catch(async (error) => {
      if (!hasSqlstate(error, SQLSTATE.INVALID_CATALOG_NAME)) throw error
      await createDatabase(socketDir)
      return connect(socketDir, 'postroom')
    })
    await client.query('select pg_advisory_lock_shared($1)', [CLAIM])
    // A process that stops the server holds the lock until the server ends. The lock file then has another status.
    if (readLock(folder)?.status === 'ready') return client
    await client.end()
    return undefined
  } catch (error) {
    if (!isTransient(error)) throw error
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
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'postroom: claim on the embedded server',
  }) as Client
  // The event 'end' follows, and has a listener.
  client.on('error', () => {})
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

/** Socket errors, and a server that is stopping or has no free connection. */
const isTransient = (error: unknown) => !(error instanceof pg.DatabaseError) || isServerBusy(error)

/**
 * Releases a claim, and stops the server if there is no other claim. Returns false if the connection is broken, which
 * leaves open whether the server still runs.
 */
async function releaseClaim(client: Client, folder: string): Promise<boolean> {
  client.ref()
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [CLAIM])
    const { rows } = await client.query('select pg_try_advisory_lock($1) as "isLast"', [CLAIM])
    if (rows[0].isLast) await stop(client, folder)
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** Requests a fast shutdown, and waits until the server has ended. */
async function stop(client: Client, folder: string): Promise<void> {
  const pid = readLock(folder)?.pid
  // A backend sends the signal: the pid that it reads is certainly its postmaster, even if this process has other pids.
  await client.query(`copy (select where false) to program 'kill -INT $(head -n 1 postmaster.pid)'`).catch(() => {})
  for (const deadline = Date.now() + SERVER_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    if (readLock(folder)?.pid !== pid) break
  }
  removeSocketDir(socketDirOf(folder))
}
