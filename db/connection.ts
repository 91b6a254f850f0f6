import type pg from 'pg'
import { budgetSpent, currentBudget } from './budget.ts'
import { PreparedQuery, PreparedStatement } from './driver.ts'
import { Client, destroySocket, type Settings } from './session.ts'
import { isConnectionOver, isNameLost, SQLSTATE } from './sqlstate.ts'
import type { Tls } from './tls.ts'
import { isDatabaseFull, QUERY_READ_TIMEOUT } from './unavailable.ts'

/** The names of prepared statements by their text. Postgres parses and plans each named statement once a connection. */
export const statementNames = new Map<string, string>()

/** State that all connections to one server share. */
export interface Server {
  /** The settings of each connection. Commands have none. */
  settings: Settings | undefined
  /** Whether sessions keep these. Undefined until the first connection is open. A pooler may refuse or drop them. */
  keepsSettings: boolean | undefined
  /** How many connections are open and have responded. */
  open: number
  /** The time of the fastest statement so far, which is the round trip of the link. */
  roundTripMs: number
  /** The start, by `performance.now()`, of the latest statement that used its whole time limit without a response. */
  silentSince: number
  /**
   * False behind a pooler that moves a client between server connections: the next one lacks the prepared statements.
   */
  hasPreparedStatements: boolean
  /** Whether that was found out by a prepared statement that was lost. */
  hasLostNames: boolean
  /** Called when it is found out. */
  onNamesLost: (() => void) | undefined
  /** The latest error of a statement that the server had no space for, and its time by `performance.now()`. */
  lastFull?: { error: Error; at: number }
}

/**
 * The C function of Postgres that stops waiting for the synchronous standby and reports it by a warning, in the
 * server's language. The transaction is committed on this server alone, and is lost with it, so it must not count as
 * stored.
 * https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN'

type QueryError = Error & { severity?: string }

interface ConnectionOptions extends pg.ClientConfig {
  server: Server
  /** The limit for opening it. For a limit of its own, the pool would start a timer for each statement that waits. */
  openMs: number
  tls: Tls | undefined
  /** The time limit of one statement. */
  statementTimeoutMs?: number
  /** How long a server may send nothing while a connection is opened. */
  silenceMs?: number
}

/**
 * Postgres cancels a statement at its time limit. A server that sends nothing for this much longer, and for a round
 * trip, counts as silent.
 */
const RESPONSE_MS = 100

/** The round trip of the link to the server, as far as it is known. */
export const roundTripOf = ({ roundTripMs }: Server): number => (Number.isFinite(roundTripMs) ? roundTripMs : 0)

/** Zero is no limit to node-postgres. */
const toTimer = (ms: number): number => (Number.isFinite(ms) ? Math.ceil(ms) : 0)

/** A connection that respects the database budget, and closes itself when it can no longer be used. */
export class Connection extends Client {
  /** The time, by `performance.now()`, of the last response on this connection. */
  heardAt = performance.now()
  /** The user whose share it counts to, while it is in use. */
  userId: string | undefined = undefined
  readonly #server: Server
  readonly #limitMs: number
  #hasResponded = false
  #isUnreplicated = false

  /** The pool passes its own options on to each connection. */
  constructor(options?: ConnectionOptions) {
    super({ ...options, connectionTimeoutMillis: options!.openMs }, options!.tls)
    this.#server = options!.server
    this.#limitMs = options!.statementTimeoutMs ?? Number.POSITIVE_INFINITY
    this.silenceMs = options!.silenceMs
    const { settings, keepsSettings } = this.#server
    if (settings && keepsSettings !== false) this.startSettings = settings
    this.on('notice', ({ routine }) => {
      if (routine === STANDBY_WAIT) this.#isUnreplicated = true
    })
  }

  /**
   * Waits for a first response: a pooler opens a connection at once, and lets its statements wait while all connections
   * of its own are in use. The first one also tells whether sessions keep their settings, which a pooler may ignore
   * without a word. Takes one round trip, and so measures it.
   */
  async learn(): Promise<void> {
    const server = this.#server
    if (!server.settings) return
    const isSet = Object.entries(server.settings).map(([name, value]) => `name = '${name}' and setting = '${value}'`)
    const text =
      server.keepsSettings === undefined
        ? `select count(*)::integer as kept from pg_settings where ${isSet.join(' or ')}`
        : 'select 0 as kept'
    const [row] = await this.run<{ kept: number }>(new PreparedStatement('', text), [], this.silenceMs)
    server.keepsSettings ??= row!.kept === isSet.length
    this.#hasResponded = true
    server.open++
    this.once('end', () => void server.open--)
  }

  /** Runs a statement with the arguments that Kysely passes. No one signature fits the overloads of node-postgres. */
  override query(...args: never[]): never {
    const [text, values = []] = args as unknown as [text: string, values?: unknown[]]
    const name = this.#server.hasPreparedStatements ? statementNames.get(text) : undefined
    return this.#send((query_timeout) => {
      const config = { text, values, ...(name && { name }), query_timeout }
      return super.query(config)
    }) as never
  }

  /** Runs a prepared statement and returns its rows. */
  run<R>(statement: PreparedStatement, values: readonly unknown[], limitMs?: number): Promise<R[]> {
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
      limitMs,
    )
  }

  /** Closes the socket without Terminate: a dead peer never acknowledges it. */
  destroy(): void {
    destroySocket(this)
  }

  async #send<T>(send: (timeoutMs: number) => Promise<T>, limitMs = this.#limitMs): Promise<T> {
    const budget = currentBudget()
    if (budget && budget.remainingMs <= 0) throw budgetSpent()
    const responseMs = limitMs + RESPONSE_MS + roundTripOf(this.#server)
    const isLimitedByBudget = budget !== undefined && budget.remainingMs < responseMs
    const sentAt = performance.now()
    try {
      if (this.#server.keepsSettings === false && this.getTransactionStatus() === 'I') {
        this.sendSettings(this.#server.settings!)
      }
      const result = await send(toTimer(isLimitedByBudget ? budget.remainingMs : responseMs))
      this.heardAt = performance.now()
      if (this.heardAt - sentAt < this.#server.roundTripMs) this.#server.roundTripMs = this.heardAt - sentAt
      if (this.#isUnreplicated) throw this.#unreplicated()
      return result
    } catch (error) {
      this.#handleError(error as QueryError, sentAt, isLimitedByBudget)
      throw error
    } finally {
      if (budget) budget.remainingMs -= performance.now() - sentAt
    }
  }

  #unreplicated(): Error {
    this.#isUnreplicated = false
    return Object.assign(new Error('The transaction is committed, but a standby may not have it'), {
      code: SQLSTATE.TRANSACTION_RESOLUTION_UNKNOWN,
    })
  }

  #handleError(error: QueryError, sentAt: number, isLimitedByBudget: boolean): void {
    const isSilent = error.message === QUERY_READ_TIMEOUT
    if (isSilent && !isLimitedByBudget && this.#hasResponded)
      this.#server.silentSince = Math.max(sentAt, this.#server.silentSince)
    if (error.severity) this.heardAt = performance.now()
    if (isNameLost(error) && this.#server.hasPreparedStatements) {
      this.#server.hasPreparedStatements = false
      this.#server.hasLostNames = true
      this.#server.onNamesLost?.()
    }
    if (isDatabaseFull(error)) this.#server.lastFull = { error, at: performance.now() }
    // After a read timeout the statement still runs. After a fatal error the server closes the connection a moment
    // later. A prepared statement whose table changed fails on this connection forever. The pool drops a connection
    // that ends.
    if (isSilent || (error.severity && isConnectionOver(error))) this.end()
    // The stack of a server error ends in the driver. This one leads to the caller.
    if (error.severity) Error.captureStackTrace(error)
  }
}
