import { type Expression, sql } from 'kysely'

/** Null is the database's own clock, which is the same for every worker; tests give a time. */
export type Now = Date | null

type NowOrColumn = Now | Expression<Now>

export const at = (now: NowOrColumn) => sql<Date>`coalesce(${now}::timestamptz, now())`

export const after = (now: NowOrColumn, ms: Expression<number> | number) =>
  sql<Date>`${at(now)} + ${ms}::float8 * interval '1 millisecond'`

/** Milliseconds since the time in a column; null where it has none. */
export const msSince = (now: Now, column: string) =>
  sql<number | null>`(extract(epoch from ${at(now)} - ${sql.ref(column)}) * 1000)::float8`
