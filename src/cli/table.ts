import { shorten } from '../base/line.ts'
import { escapeControls } from '../run/runtime/terminal.ts'
import type { Terminal } from './action.ts'
import { LIMIT_MAX } from './options.ts'
import { cutToWidth, padToWidth, widthOf } from './width.ts'

/** Longer texts are cut in a table: they would break its lines. --json has all of them. */
const CELL_MAX = 60
/** The last column may be longer, because no other follows it: errors have their cause at the end. */
const LAST_CELL_MAX = 250

const SEPARATOR = '  '

/** The columns of a table: each has a heading, and the text of a row. */
export type Columns<Row> = Record<string, (row: Row) => string | number | boolean | null>

/** A terminal that is too narrow cuts texts down to these widths, the last column first. Numbers are shorter. */
const LAST_CELL_MIN = 10
const CELL_MIN = 17

/** Rows as aligned lines under a line of headings, which fit the terminal as far as they can. */
export function formatTable<Row>(rows: Row[], columns: Columns<Row>, { columns: widthMax }: Terminal = {}): string {
  const last = Object.keys(columns).length - 1
  const cells = [
    Object.keys(columns),
    ...rows.map((row) =>
      Object.values(columns).map((read, index) => formatCell(read(row), index === last ? LAST_CELL_MAX : CELL_MAX)),
    ),
  ]
  const wanted = Object.keys(columns).map((_, index) => Math.max(...cells.map((line) => widthOf(line[index]!))))
  const widths = widthMax === undefined ? wanted : fitWidths(wanted, widthMax - SEPARATOR.length * last)
  return cells
    .map((line) =>
      line
        .map((cell, index) => padToWidth(cutToWidth(cell, widths[index]!), widths[index]!))
        .join(SEPARATOR)
        .trimEnd(),
    )
    .join('\n')
}

/** Widths of columns that are `sumMax` together, if these can be cut so far. */
function fitWidths(wanted: readonly number[], sumMax: number): number[] {
  const widths = [...wanted]
  const order = [widths.length - 1, ...widths.keys()].slice(0, widths.length)
  for (const index of order) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - sumMax
    const min = index === widths.length - 1 ? LAST_CELL_MIN : CELL_MIN
    widths[index] = Math.min(widths[index]!, Math.max(min, widths[index]! - Math.max(0, excess)))
  }
  return widths
}

function formatCell(value: string | number | boolean | null, lengthMax: number): string {
  if (value === null) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // Before it is measured: the escapes are longer.
  return escapeControls(shorten(String(value), lengthMax))
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
export function formatList<Row>({ data, hasMore }: Listed<Row>, columns: Columns<Row>, terminal?: Terminal): string {
  if (data.length === 0) return 'none'
  const hint = hasMore ? `\n\nThere are more than these ${data.length}: see more with --limit, up to ${LIMIT_MAX}` : ''
  return `${formatTable(data, columns, terminal)}${hint}`
}
