import { type RawBuilder, sql } from 'kysely'

/*
 * Lists with filters walk one index in the order of the list, look at a bounded number of rows, and stop when a page is
 * full. A page may therefore be shorter than its limit, or empty, although more follows. Reading on for a full page
 * would take seconds if a filter matches one of a million posts.
 */

/** The number of rows that are read for a page. They take about as long as the rest of it. */
export const WINDOW = 250
/** The same, if each needs a lookup in another table. */
export const WINDOW_WITH_LOOKUP = 100

export type Order = 'asc' | 'desc'

/** The direction of a walk: its order, whether a row comes after the start, and whether it comes before the end. */
export interface Direction {
  order: RawBuilder<unknown>
  after: RawBuilder<unknown>
  before: RawBuilder<unknown>
}

export const DIRECTIONS: Record<Order, Direction> = {
  asc: { order: sql`asc`, after: sql`>`, before: sql`<` },
  desc: { order: sql`desc`, after: sql`<`, before: sql`>=` },
}

/** The start of a walk, which is excluded, and its end. Times are texts that Postgres reads, such as `infinity`. */
export interface Range {
  startTime: string
  startId: string
  endTime: string
  endId: string
}

/** Whether a condition restricts: null and undefined do not. */
export const isGiven = (condition: unknown): boolean => (condition ?? null) !== null

/** A time to the microsecond, for a cursor. */
export const exactTime = (column: string) =>
  sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
