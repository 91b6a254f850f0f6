import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { budgetSpent, currentBudget, type DatabaseBudget, SHARED_BY_STRANGERS, withDatabaseBudget } from './budget.ts'
import { Connection, roundTripOf, type Server } from './connection.ts'
import { columnTypes } from './driver.ts'
import { type Growth, limitGrowth } from './growth.ts'
import type { Settings } from './session.ts'
import { createShares, type Shares } from './shares.ts'
import { explainTls, splitTls, type Tls } from './tls.ts'
import type { DB } from './types.ts'
import { hasNoConnectionLeft, isFromPooler } from './unavailable.ts'

export type Db = Kysely<DB>

export interface ConnectOptions {
  /** A Postgres connection string. */
  url: string
  poolMax?: number
  /** Whether to prepare statements under names. The default is true. */
  preparedStatements?: boolean
  /** Called once if the server, or a pooler, loses prepared statements. They are not used from then on. */
  onNamesLost?: () => void
  /** Called once a minute at most, with a line for the operator, if the server gives fewer connections. */
  onFewConnections?: (line: string) => void
  /** Names the connections in pg_stat_activity, unless the URL has an application_name. */
  applicationName?: string
  /** The time limit of one statement. Migrations and commands have none. */
  statementTimeoutMs?: number
  /** Opens the stream to the server in place of a socket. */
  stream?: pg.ClientConfig['stream']
}

/** Longer than a process that does nothing pauses between two statements, so that it keeps a connection. */
const IDLE_MS = 30_000
/** The limit for opening a connection. */
const OPEN_MS = 10_000
/**
 * If statements have a time limit: how long a caller waits for a connection, and how long a server may send nothing
 * while one is opened. On a slow link, opening one takes seven round trips with TLS, and learning one more. It goes on
 * when its caller no longer waits, and serves the next one.
 */
const CONNECT_MS = 800
const CONNECT_ROUND_TRIPS = 8
/** A request connects, and sends up to eight statements one after the other. */
const REQUEST_ROUND_TRIPS = 16

/**
 * How much of a pool the requests of one user may use while others use it. A user alone leaves one connection to
 * others.
 */
const USER_SHARE = 0.75

/** The same for all requests without a user. */
const STRANGERS_SHARE = 0.25

type PooledConnection = pg.PoolClient & Connection

/**
 * Opens connections for prepared statements, which bypass Kysely: it would build each statement and map each row again.
 */
export const connections = new WeakMap<Db, () => Promise<PooledConnection>>()

/** The connections of a client. */
export interface PoolState {
  max: number
  inUse: number
  idle: number
  /** Callers that wait for a connection. */
  waiting: number
  /** How many callers have got none in time: all were in use, or none could be opened. */
  refused: number
}

const poolStates = new WeakMap<Db, () => PoolState>()

export const readPool = (db: Db): PoolState => poolStates.get(db)!()

/** Facts about their server that the connections of a client have learned. */
export const servers = new WeakMap<Db, Server>()

/** The limits of pools where the server gives fewer connections. */
export const growths = new WeakMap<Db, Growth>()

/** A budget of `ms` for the database, and of the round trips of the link beside it. */
export const budgetOf = (db: Db, ms: number): DatabaseBudget => ({
  remainingMs: ms + REQUEST_ROUND_TRIPS * roundTripOf(servers.get(db)!),
})

/** Creates the client. The first statement opens the first connection. */
export function connect({
  url,
  poolMax = 10,
  preparedStatements = true,
  onNamesLost,
  onFewConnections,
  applicationName = 'postroom',
  statementTimeoutMs,
  stream,
}: ConnectOptions): Db {
  const server: Server = {
    settings: statementTimeoutMs ? settingsFor(statementTimeoutMs) : undefined,
    keepsSettings: undefined,
    open: 0,
    roundTripMs: Number.POSITIVE_INFINITY,
    silentSince: Number.NEGATIVE_INFINITY,
    hasPreparedStatements: preparedStatements,
    hasLostNames: false,
    onNamesLost,
  }
  const { url: connectionString, tls } = splitTls(url)
  const options = {
    server,
    connectionString,
    tls,
    max: poolMax,
    openMs: OPEN_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    fallback_application_name: applicationName,
    types: columnTypes,
    Client: Connection,
    // The connection may be opened for a caller whose budget is spent by then.
    onConnect: (client: pg.ClientBase) => withDatabaseBudget(undefined, () => (client as Connection).learn()),
    ...(statementTimeoutMs && { statementTimeoutMs, silenceMs: CONNECT_MS }),
    ...(stream && { stream }),
  }
  const pool = new pg.Pool(options)
  // An idle connection failed. The pool replaces it.
  pool.on('error', () => {})
  // Between two statements of a transaction, a connection has no listener of the pool's. Its error would end the
  // process.
  pool.on('connect', (connection) => connection.on('error', () => {}))
  // Node keeps a list of timers for each duration. It would create and delete this one with each statement.
  const idleTimers = setInterval(() => {}, IDLE_MS).unref()
  const callers: Callers = { waiting: 0, refused: 0 }
  const alone = Math.max(1, poolMax - 1)
  const strangers = Math.ceil(poolMax * STRANGERS_SHARE)
  const shares = createShares({
    alone,
    shared: Math.min(alone, Math.ceil(poolMax * USER_SHARE)),
    others: new Map(Object.values(SHARED_BY_STRANGERS).map((name) => [name, strangers])),
  })
  pool.on('release', (_error, client) => {
    const connection = client as PooledConnection
    if (connection.userId !== undefined) shares.leave(connection.userId)
    connection.userId = undefined
  })
  const growth = limitGrowth(pool, server, onFewConnections)
  const openConnection = () => takeConnection({ pool, server, shares, callers, tls, growth })
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect: openConnection, end: () => pool.end() } }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  connections.set(db, openConnection)
  servers.set(db, server)
  growths.set(db, growth)
  poolStates.set(db, () => {
    const { totalCount, idleCount: idle } = pool
    return { max: pool.options.max, inUse: totalCount - idle, idle, ...callers }
  })
  // Kysely ends the pool only if it sent a statement itself. Otherwise idle connections would keep the process alive.
  const destroy = () => Kysely.prototype.destroy.call(db)
  db.destroy = async () => {
    clearInterval(idleTimers)
    growth.stop()
    await destroy()
    if (!pool.ending) await pool.end()
  }
  return db
}

const settingsFor = (statementTimeoutMs: number): Settings => ({
  statement_timeout: `${statementTimeoutMs}`,
  // If a link breaks silently in the middle of a transaction, its locks would stay until TCP notices.
  idle_in_transaction_session_timeout: `${statementTimeoutMs}`,
  // Statements are short: compiling one would take longer than it runs, at each execution.
  jit: 'off',
})

/**
 * Takes a connection from the pool. Errors are marked `atConnect`: the causes (no route, no TLS, wrong password, pool
 * exhausted) take many forms, some without a code, and callers treat them alike.
 */
async function takeConnection(source: Source, isRepeated = false): Promise<PooledConnection> {
  const { server, shares, callers, growth } = source
  const budget = currentBudget()
  const userId = budget?.userId
  let startedAt = performance.now()
  const sendsSettings = server.settings !== undefined && server.keepsSettings !== false
  let hasPlace = false
  try {
    if (userId !== undefined) {
      const place = shares.enter(userId, waitOf(server, budget))
      // An `await` of undefined would cost every statement a turn of the microtask queue.
      if (place) await place
      hasPlace = true
    }
    for (;;) {
      const connection = (await connectWithin(source, waitOf(server, budget))) as PooledConnection
      if (connection.heardAt >= server.silentSince) {
        connection.userId = userId
        return connection
      }
      // Last used before the server became silent. If a link broke silently, this connection is dead as well.
      connection.destroy()
      connection.release(true)
    }
  } catch (error) {
    if (hasPlace) shares.leave(userId!)
    // Others that began before may have found it out first.
    if (sendsSettings && refusesSettings(server, error)) return takeConnection(source)
    if (!isRepeated && hasNoConnectionLeft(error) && source.pool.totalCount > 0) {
      // The pool has stopped to grow, so that this waits for a connection that is open.
      if (budget) budget.remainingMs -= performance.now() - startedAt
      startedAt = performance.now()
      return takeConnection(source, true)
    }
    callers.refused++
    throw Object.assign((growth.explain(error) ?? explainTls(error, source.tls)) as Error, { atConnect: true })
  } finally {
    if (budget) budget.remainingMs -= performance.now() - startedAt
  }
}

interface Source {
  pool: pg.Pool
  server: Server
  shares: Shares
  callers: Callers
  tls: Tls | undefined
  growth: Growth
}

type Callers = Pick<PoolState, 'waiting' | 'refused'>

/**
 * Whether a pooler may have refused the settings in the startup message, as PgBouncer does by default. From then on
 * they are sent with each transaction.
 */
function refusesSettings(server: Server, error: unknown): boolean {
  if (!isFromPooler(error)) return false
  server.keepsSettings = false
  return true
}

/** How long the caller waits for a connection. */
function waitOf(server: Server, budget: DatabaseBudget | undefined): number {
  const waitMs = server.settings ? CONNECT_MS + CONNECT_ROUND_TRIPS * roundTripOf(server) : OPEN_MS
  // Also for the first response on a new connection, if there is the time.
  return budget ? Math.min(budget.remainingMs, waitMs) : 2 * waitMs
}

/** Takes a connection. One that comes too late goes back to the pool, for the next caller. */
function connectWithin({ pool, callers, growth }: Source, ms: number): Promise<pg.PoolClient> {
  // No need to wait.
  if (ms > 0 && pool.idleCount > pool.waitingCount) return pool.connect()
  return new Promise((resolve, reject) => {
    if (ms <= 0) return reject(budgetSpent())
    callers.waiting++
    let isWaiting = true
    const endWait = () => {
      isWaiting = false
      callers.waiting--
      clearTimeout(timer)
    }
    const timer = setTimeout(() => {
      endWait()
      reject(budgetSpent())
    }, ms)
    // Its promise would cost every statement of a busy pool some turns of the microtask queue.
    pool.connect((error, client) => {
      if (error && hasNoConnectionLeft(error)) growth.refused(error)
      if (!isWaiting) return client?.release()
      endWait()
      return client ? resolve(client) : reject(error)
    })
  })
}
