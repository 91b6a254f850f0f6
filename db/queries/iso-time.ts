import { sql } from 'kysely'

/** A time as the interface shows it: ISO 8601 in UTC with milliseconds, made by Postgres to spare a Date per row. */
export const isoTime = <T extends string | null = string>(column: string) =>
  sql<T>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
