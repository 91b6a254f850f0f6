import type { CompiledQuery } from 'kysely'
import { connections, type Db } from './client.ts'
import { statementNames } from './connection.ts'
import { PreparedStatement } from './driver.ts'
import { isRetryable } from './sqlstate.ts'
import { ATTEMPTS_MAX } from './transaction.ts'

/** Marks the position of a value in a statement that is built once. */
class Placeholder {
  readonly key: string
  constructor(key: string) {
    this.key = key
  }
}

/** A statement of the query builder, or a `sql` template. */
interface Statement<R> {
  compile(db: Db): CompiledQuery<R>
}

/** The statements that are defined so far, by name, and what builds each. */
export const preparedStatements = new Map<string, (db: Db) => CompiledQuery>()

/**
 * Defines a statement that Kysely builds once and that Postgres plans once per connection. `build` gets a function that
 * returns a placeholder for each named value. Outside a transaction, a statement runs again up to three times after a
 * serialisation failure, a deadlock or a change of its table: it has had no effect then.
 */
export function prepared<P extends object, R>(
  name: string,
  build: (db: Db, value: <K extends keyof P & string>(key: K) => P[K]) => Statement<R>,
): (db: Db, values: P) => Promise<R[]> {
  // A second statement of a name would run the first one's plan.
  if (preparedStatements.has(name)) throw new Error(`Two prepared statements have the name ${name}`)
  const compile = (db: Db) => build(db, (key) => new Placeholder(key) as never).compile(db)
  preparedStatements.set(name, compile)
  let built: { compiled: CompiledQuery<R>; statement: PreparedStatement } | undefined

  function buildOnce(db: Db) {
    const compiled = compile(db)
    statementNames.set(compiled.sql, name)
    return { compiled, statement: new PreparedStatement(name, compiled.sql) }
  }

  async function run(db: Db, values: P): Promise<R[]> {
    built ??= buildOnce(db)
    const { compiled, statement } = built
    const parameters = compiled.parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.key as keyof P] : parameter,
    )
    const connectOne = connections.get(db)
    if (!connectOne) return (await db.executeQuery<R>({ ...compiled, parameters })).rows
    const client = await connectOne()
    try {
      return await client.run<R>(statement, parameters)
    } finally {
      client.release()
    }
  }

  return async (db, values) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(db, values)
      } catch (error) {
        // Inside a transaction, the earlier statements would have to run again too.
        if (!isRetryable(error) || attempt === ATTEMPTS_MAX || db.isTransaction) throw error
      }
    }
  }
}
