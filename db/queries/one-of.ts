import { sql } from 'kysely'

/** Literals, because Postgres uses a partial index only if its condition is in the text of the statement. */
export const isOneOf = (column: string, values: readonly string[]) =>
  sql`${sql.ref(column)} in (${sql.join(values.map(sql.lit))})`
