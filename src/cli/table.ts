import { InvalidArgumentError } from 'commander'
import { parsePositiveInteger } from './options.ts'

/** Longer texts are cut in a table: they would break its lines. --json has all of them. */
const CELL_MAX = 60
/** The last column may be longer, because no other follows it: errors have their cause at the end. */
const LAST_CELL_MAX = 250

/** The columns of a table: each has a heading, and the text of a row. */
export type Columns<Row> = Record<string, (row: Row) => string | number | boolean | null>

/** Rows as aligned lines under a line of headings. */
export function formatTable<Row>(rows: Row[], columns: Columns<Row>): string {
  const last = Object.keys(columns).length - 1
  const cells = [
    Object.keys(columns),
    ...rows.map((row) =>
      Object.values(columns).map((read, index) => formatCell(read(row), index === last ? LAST_CELL_MAX : CELL_MAX)),
    ),
  ]
  const widths = Object.keys(columns).map((_, index) => Math.max(...cells.map((line) => line[index]!.length)))
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatCell(value: string | number | boolean | null, lengthMax: number): string {
  if (value === null) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return shorten(String(value), lengthMax)
}

/** One line: a text with several would look like other lines of the output. */
export const toLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

/** One line of at most `lengthMax` characters. */
export function shorten(text: string, lengthMax: number): string {
  const line = toLine(text)
  const characters = [...line]
  return characters.length > lengthMax ? `${characters.slice(0, lengthMax - 1).join('')}…` : line
}

export interface Listed<Row> {
  data: Row[]
  /** Whether there are more rows than these. */
  hasMore: boolean
}

/** Reads at most `limit` rows with `read`, and finds out whether there are more. */
export async function readLimited<Row>(limit: number, read: (limit: number) => Promise<Row[]>): Promise<Listed<Row>> {
  const rows = await read(limit + 1)
  return { data: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** A list for people, with a hint if it is not complete. */
export function formatList<Row>({ data, hasMore }: Listed<Row>, columns: Columns<Row>): string {
  if (data.length === 0) return 'none'
  const hint = hasMore ? `\n\nThere are more than these ${data.length}: see more with --limit, up to ${LIMIT_MAX}` : ''
  return `${formatTable(data, columns)}${hint}`
}

export const LIMIT_DEFAULT = 50
const LIMIT_MAX = 10_000

export function parseLimit(text: string): number {
  const limit = parsePositiveInteger(text)
  if (limit > LIMIT_MAX) throw new InvalidArgumentError(`It must be at most ${LIMIT_MAX}.`)
  return limit
}
