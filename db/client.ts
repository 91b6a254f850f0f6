import { CamelCasePlugin, type Compilable, type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { DB } from './types.ts'

export type Db = Kysely<DB>

/** Where prepared statements go past Kysely, which has built them and has nothing more to add. */
const pools = new WeakMap<Db, pg.Pool>()

/** The names under which `prepared` statements are sent, by their text. Postgres parses and plans each once. */
const statementNames = new Map<string, string>()

/**
 * The function of Postgres that warns (in its own language) that it has stopped waiting for a synchronous standby: the
 * transaction is committed here, is called a success, and is lost if this server is. Nobody may be told that it is kept.
 * https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION
 */
const GAVE_UP_ON_STANDBY = 'SyncRepWaitForLSN'
/** SQLSTATE: transaction resolution unknown. */
const UNKNOWN_RESOLUTION = '08007'

class Client extends pg.Client {
  #isUnreplicated = false

  constructor(config?: pg.ClientConfig) {
    super(config)
    this.on('notice', ({ routine }) => {
      if (routine === GAVE_UP_ON_STANDBY) this.#isUnreplicated = true
    })
  }

  override query(...args: never[]): never {
    const [query, values] = args as unknown as [string | pg.QueryConfig, unknown[]]
    const whole = typeof query === 'string' ? { text: query, values } : query
    const name = this.nameOf(whole.text)
    const result: unknown = name
      ? super.query({ ...whole, name })
      : (super.query as (...args: unknown[]) => unknown)(...args)
    // After a read timeout the statement still runs; after a fatal error the server hangs up, a moment later. Neither
    // connection may serve anybody else, and the pool drops one that is ending.
    if (!(result instanceof Promise)) return result as never
    result.catch((error: Error & { severity?: string }) => {
      if (error.message === 'Query read timeout' || error.severity === 'FATAL') this.end()
    })
    return result.then((value) => {
      if (!this.#isUnreplicated) return value
      this.#isUnreplicated = false
      throw Object.assign(new Error('Committed, and perhaps not on the standby'), { code: UNKNOWN_RESOLUTION })
    }) as never
  }

  protected nameOf(text: string): string | undefined {
    return statementNames.get(text)
  }
}

/** For a pooler that gives a connection to somebody else while statements are prepared on it, and does not know of them. */
class NamelessClient extends Client {
  protected override nameOf(): undefined {}
}

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
  /** Whether `prepared` statements are sent under their names, as they are without it. */
  preparedStatements?: boolean
  /** How long one statement may take; without it as long as it likes (migrations, commands). */
  statementTimeoutMs?: number
}

/** Opens nothing yet: connections are made when the first statement needs one. */
export function connect({ url, poolMax = 10, preparedStatements = true, statementTimeoutMs }: ConnectOptions): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolMax,
    connectionTimeoutMillis: 1_000,
    keepAlive: true,
    application_name: 'postroom',
    types,
    Client: preparedStatements ? Client : NamelessClient,
    ...(statementTimeoutMs && { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + 1_000 }),
  })
  // A connection that dies while nobody uses it: the pool replaces it by itself.
  pool.on('error', () => {})
  // A connection that dies between two statements of a transaction belongs to nobody for a moment; without a listener
  // that ends the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({
      pool: { options: pool.options, connect: () => connectFrom(pool), end: () => pool.end() },
    }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
  pools.set(db, pool)
  return db
}

/**
 * Errors are marked as those of connecting. Why there is no connection (no route, no TLS, no password, none free) takes
 * many forms, some of them without a code; what follows from it is the same.
 */
async function connectFrom(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw Object.assign(error as Error, { atConnect: true })
  }
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

/** A foreign key that fails: what was read before is gone. Whoever reads again sees that, and says so. */
const FOREIGN_KEY = '23503'

/**
 * Does `work` in a transaction: the one that `db` is, or else one of its own. That is tried again as a whole, three times
 * at most, where it got in the way of another.
 */
export async function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db)
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      if (!(RETRIED.has(code) || code === FOREIGN_KEY) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

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
  let columns: string[] | undefined

  /** As Kysely would, at a fifth of the cost: the names of columns are turned into ours once, and not for every row. */
  async function runOn(pool: pg.Pool, text: string, values: unknown[]): Promise<R[]> {
    const client = await connectFrom(pool)
    let result: pg.QueryArrayResult
    try {
      result = await client.query({ text, values, rowMode: 'array' })
    } catch (error) {
      // Its own stack ends in the driver: this one leads to whoever asked.
      Error.captureStackTrace(error as Error)
      throw error
    } finally {
      client.release()
    }
    columns ??= result.fields.map((field) => camelCase(field.name))
    return result.rows.map((row) => rowOf(columns!, row) as R)
  }

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
    const pool = pools.get(db)
    for (let attempt = 1; ; attempt++) {
      try {
        if (pool) return await runOn(pool, compiled.sql, parameters)
        return (await db.executeQuery<R>({ ...compiled, parameters })).rows
      } catch (error) {
        const code = (error as { code?: string }).code ?? ''
        // In a transaction, what came before it would have to be done again, too.
        if (!RETRIED.has(code) || attempt === ATTEMPTS_MAX || db.isTransaction) throw error
      }
    }
  }
}

const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

function rowOf(columns: string[], values: unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]
  return row
}
