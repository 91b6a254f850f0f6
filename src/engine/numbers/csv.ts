import { METRIC_NAMES } from '../../../schemas/metric-names.ts'
import type { DeliveryMetrics } from '../../../schemas/metrics.ts'
import { toLine } from '../../base/line.ts'

export type MeasuredRow = DeliveryMetrics & { username: string; externalUrl: string | null }

const COLUMNS = ['postId', 'accountId', 'platform', 'username', 'externalUrl', 'publishedAt', 'fetchedAt'] as const

/** The numbers of deliveries for a spreadsheet, with every number. The console makes it too. */
export function toCsv(rows: readonly MeasuredRow[]): string {
  const lines = rows.map((row) => [
    ...COLUMNS.map((column) => row[column] ?? ''),
    ...METRIC_NAMES.map((name) => row.values[name] ?? ''),
  ])
  return [[...COLUMNS, ...METRIC_NAMES], ...lines].map((line) => `${line.map(quote).join(',')}\n`).join('')
}

/**
 * RFC 4180, with plain line breaks and one line a row. A text that begins like a formula gets a space, or spreadsheets
 * would run it.
 */
function quote(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = toLine(value).replace(/^(?=[=+\-@])/, ' ')
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
