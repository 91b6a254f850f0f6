import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { budgetSpent, currentBudget, type DatabaseBudget } from './budget.ts'
import { Connection, type Server } from './connection.ts'
import { columnTypes } from './driver.ts'
import { createShares, type Shares } from './shares.ts'
import type { DB } from './types.ts'

export type Db = Kysely<DB>

export interface ConnectOptions {
  /** A Postgres connection string. */
  url: string
  poolMax?: number
  /** Whether to prepare statements under names. The default is true. */
  preparedStatements?: boolean
  /** Names the connections in pg_stat_activity, unless the URL has an application_name. */
  applicationName?: string
  /** The time limit of one statement. Migrations and commands have none. */
  statementTimeoutMs?: number
}

/** The limit for opening a connection, and for waiting for a free one, if statements have a time limit. */
const CONNECT_MS = 800
/** The same if statements have none. */
const CONNECT_UNLIMITED_MS = 10_000
/** Longer than a process that does nothing pauses between two statements, so that it keeps a connection. */
const IDLE_MS = 30_000
/**
 * Postgres cancels a statement at its time limit. A server that sends nothing for this much longer counts as silent.
 */
const RESPONSE_MS = 100

/**
 * How much of a pool the requests of one user may use while others use it. A user alone leaves one connection to
 * others.
 */
const USER_SHARE = 0.75

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

/** Creates the client. The first statement opens the first connection. */
export function connect({
  url,
  poolMax = 10,
  preparedStatements = true,
  applicationName = 'postroom',
  statementTimeoutMs,
}: ConnectOptions): Db {
  const server: Server = { silentSince: Number.NEGATIVE_INFINITY, hasPreparedStatements: preparedStatements }
  const options = {
    server,
    connectionString: url,
    max: poolMax,
    connectionTimeoutMillis: statementTimeoutMs ? CONNECT_MS : CONNECT_UNLIMITED_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    fallback_application_name: applicationName,
    types: columnTypes,
    Client: Connection,
    ...(statementTimeoutMs && {
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + RESPONSE_MS,
      // If a link breaks silently in the middle of a transaction, its locks would stay until TCP notices.
      idle_in_transaction_session_timeout: statementTimeoutMs,
    }),
  }
  const pool = new pg.Pool(options)
  // An idle connection failed. The pool replaces it.
  pool.on('error', () => {})
  // Between two statements of a transaction, a connection has no listener of the pool's. Its error would end the
  // process.
  pool.on('connect', (connection) => connection.on('error', () => {}))
  let refused = 0
  const alone = Math.max(1, poolMax - 1)
  const shares = createShares({ alone, shared: Math.min(alone, Math.ceil(poolMax * USER_SHARE)) })
  pool.on('release', (_error, client) => {
    const connection = client as PooledConnection
    if (connection.userId !== undefined) shares.leave(connection.userId)
    connection.userId = undefined
  })
  const openConnection = () => takeConnection({ pool, server, shares, countRefused: () => refused++ })
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect: openConnection, end: () => pool.end() } }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  connections.set(db, openConnection)
  servers.set(db, server)
  poolStates.set(db, () => {
    const { totalCount, idleCount: idle, waitingCount: waiting } = pool
    return { max: poolMax, inUse: totalCount - idle, idle, waiting, refused }
  })
  // Kysely ends the pool only if it sent a statement itself. Otherwise idle connections would keep the process alive.
  const destroy = () => Kysely.prototype.destroy.call(db)
  db.destroy = async () => {
    await destroy()
    if (!pool.ending) await pool.end()
  }
  return db
}

/**
 * Takes a connection from the pool. Errors are marked `atConnect`: the causes (no route, no TLS, wrong password, pool
 * exhausted) take many forms, some without a code, and callers treat them alike.
 */
async function takeConnection({ pool, server, shares, countRefused }: Source): Promise<PooledConnection> {
  const budget = currentBudget()
  const userId = budget?.userId
  const startedAt = performance.now()
  let hasPlace = false
  try {
    if (userId !== undefined) {
      const waitMs = Math.min(budget!.remainingMs, pool.options.connectionTimeoutMillis!)
      const place = shares.enter(userId, waitMs)
      // An `await` of undefined would cost every statement a turn of the microtask queue.
      if (place) await place
      hasPlace = true
    }
    for (;;) {
      const connection = (await connectWithinBudget(pool, budget)) as PooledConnection
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
    countRefused()
    throw Object.assign(error as Error, { atConnect: true })
  } finally {
    if (budget) budget.remainingMs -= performance.now() - startedAt
  }
}

interface Source {
  pool: pg.Pool
  server: Server
  shares: Shares
  countRefused(): void
}

function connectWithinBudget(pool: pg.Pool, budget: DatabaseBudget | undefined): Promise<pg.PoolClient> {
  if (!budget || budget.remainingMs >= pool.options.connectionTimeoutMillis!) return pool.connect()
  return new Promise((resolve, reject) => {
    if (budget.remainingMs <= 0) return reject(budgetSpent())
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(budgetSpent())
    }, budget.remainingMs)
    pool
      .connect()
      .then((client) => (isLate ? client.release() : resolve(client)), reject)
      .finally(() => clearTimeout(timer))
  })
}
