import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { budgetSpent, currentBudget, type DatabaseBudget } from './budget.ts'
import { PreparedQuery, type PreparedStatement } from './driver.ts'
import { isConnectionOver, SQLSTATE } from './sqlstate.ts'
import type { DB } from './types.ts'
import { QUERY_READ_TIMEOUT } from './unavailable.ts'

export type Db = Kysely<DB>

/** The names under which `prepared` statements are sent, by their text. Postgres parses and plans each once. */
export const statementNames = new Map<string, string>()

/** What the connections to one server have in common. */
interface Server {
  /** When a statement was sent, by `performance.now()`, that it had all of its time for and did not answer. */
  silentSince: number
  /** A pooler that gives a connection to somebody else while statements are prepared on it may not know of them. */
  hasPreparedStatements: boolean
}

/**
 * The function of Postgres that warns (in its own language) that it has stopped waiting for a synchronous standby: the
 * transaction is committed here, is called a success, and is lost if this server is. Nobody may be told that it is kept.
 * https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION
 */
const GAVE_UP_ON_STANDBY = 'SyncRepWaitForLSN'

type QueryError = Error & { severity?: string; code?: string }

class Client extends pg.Client {
  /** When the server was last known to answer here. */
  heardAt = performance.now()
  readonly #server: Server
  readonly #limitMs: number
  #isUnreplicated = false

  /** The pool passes its options on. */
  constructor(options?: pg.ClientConfig & { server: Server }) {
    super(options)
    this.#server = options!.server
    this.#limitMs = options!.query_timeout ?? Number.POSITIVE_INFINITY
    this.on('notice', ({ routine }) => {
      if (routine === GAVE_UP_ON_STANDBY) this.#isUnreplicated = true
    })
  }

  /** As Kysely asks. */
  override query(...args: never[]): never {
    const [text, values = []] = args as unknown as [text: string, values?: unknown[]]
    const name = this.#server.hasPreparedStatements ? statementNames.get(text) : undefined
    return this.#send((query_timeout) =>
      super.query({ text, values, ...(name && { name }), ...(query_timeout && { query_timeout }) }),
    ) as never
  }

  /** Gives the rows of a prepared statement. */
  run<R>(statement: PreparedStatement, values: readonly unknown[]): Promise<R[]> {
    const name = this.#server.hasPreparedStatements ? statement.name : ''
    return this.#send(
      (query_timeout) =>
        new Promise<R[]>((resolve, reject) => {
          super.query(
            new PreparedQuery<R>({ statement, name, values, query_timeout }, (error, rows) =>
              error ? reject(error) : resolve(rows as R[]),
            ),
          )
        }),
    )
  }

  /** Sends a statement, which takes from the time of the request that it belongs to. */
  async #send<T>(send: (timeoutMs?: number) => Promise<T>): Promise<T> {
    const budget = currentBudget()
    if (budget && budget.remainingMs <= 0) throw budgetSpent()
    const isCurbed = budget !== undefined && budget.remainingMs < this.#limitMs
    const sentAt = performance.now()
    try {
      const result = await send(isCurbed ? Math.ceil(budget.remainingMs) : undefined)
      this.heardAt = performance.now()
      if (this.#isUnreplicated) throw this.#unreplicated()
      return result
    } catch (error) {
      this.#learnFrom(error as QueryError, sentAt, isCurbed)
      throw error
    } finally {
      if (budget) budget.remainingMs -= performance.now() - sentAt
    }
  }

  #unreplicated(): Error {
    this.#isUnreplicated = false
    return Object.assign(new Error('Committed, and perhaps not on the standby'), {
      code: SQLSTATE.TRANSACTION_RESOLUTION_UNKNOWN,
    })
  }

  #learnFrom(error: QueryError, sentAt: number, isCurbed: boolean): void {
    const isSilent = error.message === QUERY_READ_TIMEOUT
    if (isSilent && !isCurbed) this.#server.silentSince = Math.max(sentAt, this.#server.silentSince)
    if (error.severity) this.heardAt = performance.now()
    // After a read timeout the statement still runs; after a fatal error the server hangs up, a moment later; a statement
    // that was prepared before its table changed never works again. None of these connections may serve anybody else, and
    // the pool drops one that is ending.
    if (isSilent || (error.severity && isConnectionOver(error))) this.end()
    // The stack of what the server says ends in the driver: this one leads to whoever asked.
    if (error.severity) Error.captureStackTrace(error)
  }

  /** Without a word: nobody might hear it, and then the end would never come. */
  hangUp(): void {
    ;(this as unknown as { connection: pg.Connection }).connection.stream.destroy()
  }
}

const INT8 = 20

/** Sizes are bigint in the database; all of them are below 2^53. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

export interface ConnectOptions {
  /** A Postgres connection string. */
  url: string
  poolMax?: number
  /** Whether `prepared` statements are sent under their names, as they are without it. */
  preparedStatements?: boolean
  /** How long one statement may take; without it as long as it likes (migrations, commands). */
  statementTimeoutMs?: number
}

/** Until a connection is free, and until one is made: where each statement has a limit, and where nobody is in a hurry. */
const CONNECT_MS = 800
const CONNECT_PATIENTLY_MS = 10_000
/** Postgres ends a statement by itself when its time is over; if it has not said so by then, it does not answer. */
const ANSWER_MS = 100

/** Where prepared statements go past Kysely, which has built them and would turn their rows around once more. */
export const connections = new WeakMap<Db, () => Promise<pg.PoolClient & Client>>()

/** Opens nothing yet: connections are made when the first statement needs one. */
export function connect({ url, poolMax = 10, preparedStatements = true, statementTimeoutMs }: ConnectOptions): Db {
  const server: Server = { silentSince: Number.NEGATIVE_INFINITY, hasPreparedStatements: preparedStatements }
  const options = {
    server,
    connectionString: url,
    max: poolMax,
    connectionTimeoutMillis: statementTimeoutMs ? CONNECT_MS : CONNECT_PATIENTLY_MS,
    keepAlive: true,
    application_name: 'postroom',
    types,
    Client,
    ...(statementTimeoutMs && {
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + ANSWER_MS,
      // Where a link broke without a word in the middle of a transaction, its locks would stay until the server notices.
      idle_in_transaction_session_timeout: statementTimeoutMs,
    }),
  }
  const pool = new pg.Pool(options)
  // A connection that dies while nobody uses it: the pool replaces it by itself.
  pool.on('error', () => {})
  // A connection that dies between two statements of a transaction belongs to nobody for a moment; without a listener
  // that ends the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const connectOne = () => connectFrom(pool, server)
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: { options: pool.options, connect: connectOne, end: () => pool.end() } }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  connections.set(db, connectOne)
  // Kysely closes nothing where none of its own statements was sent, and idle connections would keep the process.
  const destroy = () => Kysely.prototype.destroy.call(db)
  db.destroy = async () => {
    await destroy()
    if (!pool.ending) await pool.end()
  }
  return db
}

/**
 * Errors are marked as those of connecting. Why there is no connection (no route, no TLS, no password, none free) takes
 * many forms, some of them without a code; what follows from it is the same.
 */
async function connectFrom(pool: pg.Pool, server: Server): Promise<pg.PoolClient & Client> {
  const budget = currentBudget()
  const askedAt = performance.now()
  try {
    for (;;) {
      const client = (await inTime(pool, budget)) as pg.PoolClient & Client
      if (client.heardAt >= server.silentSince) return client
      // Quiet since before the server was: it would be silent, too, if a link broke without a word.
      client.hangUp()
      client.release(true)
    }
  } catch (error) {
    throw Object.assign(error as Error, { atConnect: true })
  } finally {
    if (budget) budget.remainingMs -= performance.now() - askedAt
  }
}

/** A connection of the pool's, unless it comes too late for the one who asked. */
function inTime(pool: pg.Pool, budget: DatabaseBudget | undefined): Promise<pg.PoolClient> {
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
