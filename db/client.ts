import { AsyncLocalStorage } from 'node:async_hooks'
import { CamelCasePlugin, type Compilable, type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { DB } from './types.ts'

export type Db = Kysely<DB>

/** The names under which `prepared` statements are sent, by their text. Postgres parses and plans each once. */
const statementNames = new Map<string, string>()

/** Milliseconds that are left for all that a request still asks of the database, waiting for connections included. */
export interface TimeLeft {
  ms: number
}

const timesLeft = new AsyncLocalStorage<TimeLeft | undefined>()

/**
 * Does `work`: it and all that it begins take from `left`, and fail once nothing is. Without `left`, each statement has
 * the limit of its connection alone.
 */
export const within = <T>(left: TimeLeft | undefined, work: () => T): T => timesLeft.run(left, work)

/** What the connections to one server know of it in common. */
interface Server {
  /** When a statement was sent, by `performance.now()`, that it had all of its time for and did not answer. */
  silentSince: number
}

class Client extends pg.Client {
  /** When the server was last known to answer here. */
  heardAt = performance.now()
  readonly #server: Server
  readonly #limitMs: number

  /** The pool passes its options on. */
  constructor(options?: pg.ClientConfig & { server: Server }) {
    super(options)
    this.#server = options!.server
    this.#limitMs = options!.query_timeout ?? Number.POSITIVE_INFINITY
  }

  override query(...args: never[]): never {
    const [text, values] = args as unknown as [string, unknown[]]
    const left = timesLeft.getStore()
    if (left && left.ms <= 0) return Promise.reject(outOfTime()) as never
    const isCurbed = left !== undefined && left.ms < this.#limitMs
    const sentAt = performance.now()
    const settle = (error?: Error & { severity?: string }) => {
      const now = performance.now()
      if (left) left.ms -= now - sentAt
      const isSilent = error?.message === 'Query read timeout'
      if (isSilent && !isCurbed) this.#server.silentSince = Math.max(sentAt, this.#server.silentSince)
      if (!error || error.severity) this.heardAt = now
      // After a read timeout the statement still runs; after a fatal error the server hangs up, a moment later. Neither
      // connection may serve anybody else, and the pool drops one that is ending.
      if (isSilent || error?.severity === 'FATAL') this.end()
    }
    const name = statementNames.get(text)
    const config = { text, values, ...(name && { name }), ...(isCurbed && { query_timeout: Math.ceil(left.ms) }) }
    const result = super.query(config)
    result.then(() => settle(), settle)
    return result as never
  }

  /** Without a word: nobody might hear it, and then the end would never come. */
  hangUp(): void {
    ;(this as unknown as { connection: pg.Connection }).connection.stream.destroy()
  }
}

const outOfTime = () => Object.assign(new Error('The database has taken too long'), { code: 'ETIMEDOUT' })

const INT8 = 20

/** Sizes are bigint in the database; all of them are below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

export interface ConnectOptions {
  /** A Postgres connection string. */
  url: string
  poolMax?: number
  /** How long one statement may take; without it as long as it likes (migrations, commands). */
  statementTimeoutMs?: number
}

/** For a connection: until one is free, and until one is made. */
const CONNECT_MS = 800
/** Postgres ends a statement by itself when its time is over; if it has not said so by then, it does not answer. */
const ANSWER_MS = 100

/** Opens nothing yet: connections are made when the first statement needs one. */
export function connect({ url, poolMax = 10, statementTimeoutMs }: ConnectOptions): Db {
  const server: Server = { silentSince: Number.NEGATIVE_INFINITY }
  const options = {
    server,
    connectionString: url,
    max: poolMax,
    connectionTimeoutMillis: CONNECT_MS,
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
  return new Kysely<DB>({
    dialect: new PostgresDialect({
      pool: { options: pool.options, connect: () => connectFrom(pool, server), end: () => pool.end() },
    }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
}

/**
 * Errors are marked as those of connecting. Why there is no connection (no route, no TLS, no password, none free) takes
 * many forms, some of them without a code; what follows from it is the same.
 */
async function connectFrom(pool: pg.Pool, server: Server): Promise<pg.PoolClient> {
  const left = timesLeft.getStore()
  const askedAt = performance.now()
  try {
    for (;;) {
      const client = (await inTime(pool, left)) as pg.PoolClient & Client
      if (client.heardAt >= server.silentSince) return client
      // Quiet since before the server was: it would be silent, too, if a link broke without a word.
      client.hangUp()
      client.release(true)
    }
  } catch (error) {
    throw Object.assign(error as Error, { atConnect: true })
  } finally {
    if (left) left.ms -= performance.now() - askedAt
  }
}

/** A connection of the pool's, unless it comes too late for the one who asked. */
async function inTime(pool: pg.Pool, left: TimeLeft | undefined): Promise<pg.PoolClient> {
  if (!left || left.ms >= CONNECT_MS) return pool.connect()
  if (left.ms <= 0) throw outOfTime()
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(outOfTime())
    }, left.ms)
    pool
      .connect()
      .then((client) => (isLate ? client.release() : resolve(client)), reject)
      .finally(() => clearTimeout(timer))
  })
}

/** Marks where a value goes in a statement that is built once. */
class Placeholder {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

const RETRIED = new Set(['40001', '40P01'])
const ATTEMPTS_MAX = 4

/**
 * A single statement that Kysely builds once and that Postgres plans once. `build` gets a function that stands in for
 * each value by its name. A serialisation failure or deadlock is tried again, three times at most; a single statement
 * can be: it has then done nothing.
 */
export function prepared<P extends object, R>(
  name: string,
  build: (db: Db, value: <K extends keyof P & string>(key: K) => P[K]) => Compilable<R>,
): (db: Db, values: P) => Promise<R[]> {
  let compiled: CompiledQuery<R> | undefined
  return async (db, values) => {
    if (!compiled) {
      compiled = build(db, (key) => new Placeholder(key) as never).compile()
      for (const [sql, other] of statementNames) {
        if (other === name && sql !== compiled.sql) throw new Error(`Two statements are called ${name}`)
      }
      statementNames.set(compiled.sql, name)
    }
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.key as keyof P] : parameter,
    )
    for (let attempt = 1; ; attempt++) {
      try {
        return (await db.executeQuery<R>({ ...compiled, parameters })).rows
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        // In a transaction, what came before it would have to be done again, too.
        if (!RETRIED.has(code) || attempt === ATTEMPTS_MAX || db.isTransaction) throw error
      }
    }
  }
}
