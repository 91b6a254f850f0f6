import type { Metric } from '../../schemas/metric-names.ts'
import type { DeliveryMetrics } from '../../schemas/metrics.ts'
import type { Terminal } from './action.ts'
import type { Columns } from './table.ts'

/** The numbers that people compare posts by. */
const COMPARED: readonly Metric[] = ['views', 'likes']

/** Columns of these numbers. On a terminal, a bar beside a number compares it with the greatest one. */
export function metricColumns<Row extends DeliveryMetrics>(
  rows: readonly Row[],
  names: readonly Metric[],
  { isTTY = false }: Terminal,
): Columns<Row> {
  const columnOf = (name: Metric) => {
    const max = Math.max(0, ...rows.map(({ values }) => values[name] ?? 0))
    const withBar = isTTY && COMPARED.includes(name)
    return ({ values }: Row) => {
      const value = values[name]
      return value === null || !withBar ? value : `${value} ${bar(value, max)}`.trimEnd()
    }
  }
  return Object.fromEntries(names.map((name) => [name, columnOf(name)]))
}

/** When the numbers were read, to the minute, and whether the network still shows the post. */
export const formatRead = ({ fetchedAt, goneAt }: DeliveryMetrics): string | null =>
  goneAt ? `gone since ${toMinute(goneAt)}` : fetchedAt && toMinute(fetchedAt)

export const toMinute = (time: string): string => time.slice(0, 16).replace('T', ' ')

const BAR_WIDTH = 8
/** From an eighth to the whole of a character. */
const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█']

/** A bar of up to 8 characters that shows a number beside the greatest one. A number above 0 has at least a line. */
function bar(value: number, max: number): string {
  if (value <= 0 || max <= 0) return ''
  const eighths = Math.max(1, Math.round((value / max) * BAR_WIDTH * 8))
  return BLOCKS[8]!.repeat(Math.floor(eighths / 8)) + BLOCKS[eighths % 8]!
}
