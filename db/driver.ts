import type { Socket } from 'node:net'
import pg from 'pg'

/*
 * Everything that relies on the internals of node-postgres is in this file and in session.ts. test/db/driver.test.ts
 * lists these internals, and fails if a new version changes one of them.
 */

const INT8 = 20

/** Sizes are bigint in the database. All of them are below 2^53. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/** Builds a row from the texts that Postgres sent. */
type BuildRow = (values: (string | null)[]) => object

/** A statement that stays the same while the process runs. */
export class PreparedStatement {
  readonly name: string
  readonly text: string
  /**
   * How rows are built, by connection: Postgres keeps the columns fixed on each connection that prepared the statement.
   */
  readonly builders = new WeakMap<object, BuildRow>()

  constructor(name: string, text: string) {
    this.name = name
    this.text = text
  }
}

/** By the names and types of the columns. */
const builders = new Map<string, BuildRow>()

/**
 * The builder of rows with these columns. A generated object literal takes a twentieth of the time of assignments by
 * name, for which V8 extends the row again and again: 0.2 in place of 6 µs for 20 columns.
 */
function builderOf(fields: pg.FieldDef[]): BuildRow {
  const key = fields.map(({ name, dataTypeID }) => `${name}:${dataTypeID}`).join()
  let build = builders.get(key)
  if (!build) {
    const parsers = fields.map(({ dataTypeID }) => columnTypes.getTypeParser(dataTypeID, 'text'))
    const properties = fields.map(
      ({ name }, at) => `${JSON.stringify(camelCase(name))}: v[${at}] === null ? null : parsers[${at}](v[${at}])`,
    )
    build = new Function('parsers', `return (v) => ({ ${properties.join()} })`)(parsers) as BuildRow
    builders.set(key, build)
  }
  return build
}

const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The part of node-postgres' Connection that these files use, and that its types leave out. */
export interface WireConnection {
  stream: Socket
  parsedStatements: Record<string, string | undefined>
  parse(message: { name: string; text: string }): void
  on(event: 'connect' | 'sslconnect', listener: () => void): void
}

interface Execution {
  statement: PreparedStatement
  /** Empty for an unnamed statement. */
  name: string
  values: readonly unknown[]
  query_timeout: number | undefined
}

/**
 * One execution of a prepared statement. node-postgres' own class requests the names and types of the columns at each
 * execution, and looks up the parser of each value. Reusing them takes a fifth of the CPU time off a request that reads
 * 25 rows. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class PreparedQuery<R> implements pg.Submittable {
  readonly name: string
  readonly text: string
  readonly query_timeout: number | undefined
  /** node-postgres wraps it if there is a time limit. */
  callback: (error: unknown, rows?: R[]) => void
  readonly #statement: PreparedStatement
  readonly #values: (string | Buffer | null)[]
  readonly #rows: R[] = []
  #connection!: WireConnection
  #build: BuildRow | undefined
  #parseError: unknown

  constructor({ statement, name, values, query_timeout }: Execution, callback: (error: unknown, rows?: R[]) => void) {
    this.name = name
    this.text = statement.text
    this.query_timeout = query_timeout
    this.callback = callback
    this.#statement = statement
    this.#values = values.map(encode)
  }

  submit(connection: unknown): void {
    this.#connection = connection as WireConnection
    const { stream, parsedStatements } = this.#connection
    const isParsed = this.name !== '' && parsedStatements[this.name] !== undefined
    if (!isParsed) this.#connection.parse(this)
    else this.#build = this.#statement.builders.get(this.#connection)
    // One buffer: a system call per message, or one with several buffers, costs more than the rest of this method.
    stream.write(
      Buffer.concat([bind(this.name, this.#values), this.#build ? EXECUTE_AND_SYNC : DESCRIBE_EXECUTE_AND_SYNC]),
    )
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#build = builderOf(fields)
    this.#statement.builders.set(this.#connection, this.#build)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      this.#rows.push(this.#build!(fields) as R)
    } catch (error) {
      this.#parseError = error
    }
  }

  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(this.#parseError, this.#rows)
  }
}

// https://www.postgresql.org/docs/current/protocol-message-formats.html
const DESCRIBE = Buffer.from('D\0\0\0\x06P\0', 'latin1')
export const EXECUTE = Buffer.from('E\0\0\0\x09\0\0\0\0\0', 'latin1')
const SYNC = Buffer.from('S\0\0\0\x04', 'latin1')
const EXECUTE_AND_SYNC = Buffer.concat([EXECUTE, SYNC])
const DESCRIBE_EXECUTE_AND_SYNC = Buffer.concat([DESCRIBE, EXECUTE, SYNC])

/** The Bind message: values as text, except bytes, which are sent in binary. It requests results as text. */
export function bind(statement: string, values: (string | Buffer | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)))
  const size = lengths.reduce(
    (sum, length) => sum + 4 + length,
    4 + 1 + statement.length + 1 + 2 + 2 * values.length + 4,
  )
  const message = Buffer.allocUnsafe(1 + size)
  let at = message.write('B', 'latin1')
  at = message.writeInt32BE(size, at)
  at = message.writeInt8(0, at)
  at += message.write(`${statement}\0`, at, 'latin1')
  at = message.writeInt16BE(values.length, at)
  for (const value of values) at = message.writeInt16BE(Buffer.isBuffer(value) ? 1 : 0, at)
  at = message.writeInt16BE(values.length, at)
  for (const [index, value] of values.entries()) {
    at = message.writeInt32BE(value === null ? -1 : lengths[index]!, at)
    if (typeof value === 'string') at += message.write(value, at)
    else if (value !== null) at += value.copy(message, at)
  }
  message.writeInt16BE(0, at)
  return message
}

/** The text of a value as Postgres reads it. Bytes stay bytes. */
function encode(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (Buffer.isBuffer(value)) return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map(encodeElement).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function encodeElement(value: unknown): string {
  const text = encode(value)
  if (text === null) return 'NULL'
  if (Buffer.isBuffer(text)) return `"\\\\x${text.toString('hex')}"`
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}
