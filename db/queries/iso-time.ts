import { type Expression, sql } from 'kysely'

/**
 * Formats a column or an expression as ISO 8601 in UTC with milliseconds. Postgres does it, to spare a Date per row.
 */
export const isoTime = <T extends string | null = string>(time: string | Expression<unknown>) =>
  sql<T>`to_char(${typeof time === 'string' ? sql.ref(time) : time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
