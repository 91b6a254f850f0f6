import { type Expression, sql } from 'kysely'

/** Null stands for the database's clock, which all workers share. Tests pass a time. */
export type Now = Date | null

export type NowOrColumn = Now | Expression<Now>

export const at = (now: NowOrColumn) => sql<Date>`coalesce(${now}::timestamptz, now())`

export const after = (now: NowOrColumn, ms: Expression<number> | number) =>
  sql<Date>`${at(now)} + ${ms}::float8 * interval '1 millisecond'`

/** Milliseconds since the time in a column, or null if the column is null. */
export const msSince = (now: NowOrColumn, column: string) =>
  sql<number | null>`(extract(epoch from ${at(now)} - ${sql.ref(column)}) * 1000)::float8`

/** The day in UTC. */
export const dayOf = (now: NowOrColumn) => sql`(${at(now)} at time zone 'UTC')::date`
