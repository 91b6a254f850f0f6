import type pg from 'pg'

/** A statement that does not change while the process lives, and what is known of its rows. */
export class PreparedStatement {
  readonly name: string
  readonly text: string
  readonly #types: pg.CustomTypesConfig
  /** Known once it has been executed. */
  #columns: { name: string; parse: (text: string) => unknown }[] | undefined

  constructor(name: string, text: string, types: pg.CustomTypesConfig) {
    this.name = name
    this.text = text
    this.#types = types
  }

  get isDescribed(): boolean {
    return this.#columns !== undefined
  }

  describe(fields: pg.FieldDef[]): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name: camelCase(name),
      parse: this.#types.getTypeParser(dataTypeID, 'text'),
    }))
  }

  /** A row with the names of ours, from what Postgres sent. */
  rowOf(values: (string | null)[]): Record<string, unknown> {
    const row: Record<string, unknown> = {}
    const columns = this.#columns!
    for (let index = 0; index < columns.length; index++) {
      const { name, parse } = columns[index]!
      const value = values[index]!
      row[name] = value === null ? null : parse(value)
    }
    return row
  }
}

const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** What node-postgres keeps of a connection, and its types leave out. */
interface Connection {
  stream: { cork(): void; uncork(): void }
  parsedStatements: Record<string, string | undefined>
  parse(message: { name: string; text: string }): void
  bind(message: { statement: string; values: (string | Buffer | null)[] }): void
  describe(message: { type: 'P' }): void
  execute(): void
  sync(): void
}

interface Asked {
  statement: PreparedStatement
  /** Empty where the statement is to be sent without one. */
  name: string
  values: readonly unknown[]
  query_timeout: number | undefined
}

/**
 * One execution of a prepared statement, in the protocol of Postgres. node-postgres' own class asks for the names and types
 * of the columns each time, and looks each of them up again; with these known, a request that reads 25 rows takes a fifth
 * less of the processor. https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class PreparedQuery<R> implements pg.Submittable {
  readonly name: string
  readonly text: string
  readonly query_timeout: number | undefined
  /** node-postgres puts one of its own around it, where there is a time limit. */
  callback: (error: unknown, rows?: R[]) => void
  readonly #statement: PreparedStatement
  readonly #values: (string | Buffer | null)[]
  readonly #rows: R[] = []
  #failure: unknown

  constructor({ statement, name, values, query_timeout }: Asked, callback: (error: unknown, rows?: R[]) => void) {
    this.name = name
    this.text = statement.text
    this.query_timeout = query_timeout
    this.callback = callback
    this.#statement = statement
    this.#values = values.map(encode)
  }

  submit(given: unknown): void {
    const connection = given as Connection
    // All of it goes out at once.
    connection.stream.cork()
    try {
      if (!this.name || !connection.parsedStatements[this.name]) connection.parse(this)
      connection.bind({ statement: this.name, values: this.#values })
      if (!this.#statement.isDescribed) connection.describe({ type: 'P' })
      connection.execute()
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#statement.describe(fields)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    try {
      this.#rows.push(this.#statement.rowOf(fields) as R)
    } catch (error) {
      this.#failure = error
    }
  }

  handleCommandComplete(): void {}

  handleError(error: unknown): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    this.callback(this.#failure, this.#rows)
  }
}

/** A value as Postgres reads it; bytes go as they are. */
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
