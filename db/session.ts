import pg from 'pg'
import { bind, EXECUTE, type WireConnection } from './driver.ts'
import { clientOptions, type Tls } from './tls.ts'

/** The methods of node-postgres' Client that this file overrides, and that its types leave out. */
interface Internals {
  connection: WireConnection
  connect(callback: (error: unknown, client?: unknown) => void): void
  getStartupConf(): Record<string, string>
  _handleParseComplete(message: unknown): void
  _handleCommandComplete(message: unknown): void
}

const pgClient = pg.Client.prototype as unknown as Internals
const wireOf = (client: pg.Client) => (client as unknown as Internals).connection

/** Settings of Postgres, by name. Its limits of time are in milliseconds. */
export type Settings = Record<string, string>

/**
 * A client that the settings of the role and the database cannot mislead, and that gets settings of its own through
 * poolers that refuse or drop them.
 */
export class Client extends pg.Client {
  /** The settings of the session, in the startup message. */
  startSettings: Settings = {}
  /** How long a server may send nothing while a connection is opened. */
  silenceMs: number | undefined
  #awaitsSettings = false
  /** A file of TLS cannot be read. */
  readonly #problem: unknown

  /** `connect` reports the problem: the pool creates a client where no caller would get an error. */
  constructor(config: pg.ClientConfig, tls: Tls | undefined) {
    let problem: unknown
    let options = {}
    try {
      if (tls) options = clientOptions(tls)
    } catch (error) {
      problem = error
    }
    super({ ...config, ...options })
    this.#problem = problem
  }

  /**
   * Opens the connection. A limit for the whole would fail on links whose seven round trips take longer. No one
   * signature fits the overloads of node-postgres.
   */
  override connect(...args: never[]): never {
    const [callback] = args as unknown as [(error: unknown, client?: unknown) => void]
    if (this.#problem) return process.nextTick(callback, this.#problem) as never
    const stop = this.silenceMs ? destroyWhenSilent(wireOf(this), this.silenceMs) : () => {}
    return pgClient.connect.call(this, (...result) => {
      stop()
      callback(...result)
    }) as never
  }

  /**
   * The parameters of the startup message. They precede `alter role … set`. node-postgres reads times in ISO 8601 only.
   * The value is Postgres' default, so that PgBouncer, which passes it on, need not set it again.
   */
  getStartupConf(): Settings {
    return { ...pgClient.getStartupConf.call(this), ...this.startSettings, DateStyle: 'ISO, MDY' }
  }

  /**
   * Sets settings for the transaction that the next statement begins. The messages lack Sync, so both are one
   * transaction, and a pooler sends them to the same server. Nothing waits for the responses, which are left out.
   * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
   */
  sendSettings(settings: Settings): void {
    const { stream } = wireOf(this)
    if (!stream.writable) return
    this.#awaitsSettings = true
    stream.write(messagesOf(settings))
  }

  _handleParseComplete(message: unknown): void {
    if (!this.#awaitsSettings) pgClient._handleParseComplete.call(this, message)
  }

  _handleCommandComplete(message: unknown): void {
    if (!this.#awaitsSettings) pgClient._handleCommandComplete.call(this, message)
    this.#awaitsSettings = false
  }
}

/** Closes the socket of a connection that is being opened when the server has sent nothing for `ms`. */
function destroyWhenSilent(connection: WireConnection, ms: number): () => void {
  const timer = setTimeout(() => connection.stream.destroy(new Error('The database has sent nothing')), ms)
  const heard = () => void timer.refresh()
  // The second event comes with the stream of TLS, whose handshake is yet to come.
  const listen = () => {
    heard()
    connection.stream.on('data', heard).once('secureConnect', heard)
  }
  connection.on('connect', listen)
  connection.on('sslconnect', listen)
  return () => {
    clearTimeout(timer)
    connection.stream.off('data', heard)
  }
}

const messages = new WeakMap<Settings, Buffer>()

/** Parse, Bind and Execute of a statement without rows. */
function messagesOf(settings: Settings): Buffer {
  let bytes = messages.get(settings)
  if (!bytes) {
    const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true) is null`)
    const parse = Buffer.from(`P\0\0\0\0\0select where ${calls.join(' or ')}\0\0\0`, 'latin1')
    parse.writeInt32BE(parse.length - 1, 1)
    bytes = Buffer.concat([parse, bind('', []), EXECUTE])
    messages.set(settings, bytes)
  }
  return bytes
}

/** Closes the socket of `client` without a message to the server. */
export function destroySocket(client: pg.Client): void {
  wireOf(client).stream.destroy()
}
