import { OperatorError } from '../../../base/errors.ts'
import { truncate } from '../../../base/http/json.ts'
import { findNearest } from '../../../base/http/nearest.ts'
import { OWN_COLUMN, OWN_COLUMN_FORMS } from '../../import-columns.ts'
import type { Table } from './csv.ts'

/** As a spreadsheet counts, with the names of the columns in row 1. Empty lines do not count. */
export const rowNumber = (index: number) => index + 2

export const rowName = (index: number) => `row ${rowNumber(index)}`

/** The text of each column. */
export const cellsOf = ({ header }: Table, cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(header.map((name, at) => [name, cells[at]!]))

const UNKNOWN_SHOWN_MAX = 20

/** The first items of a list of `count`, and how many more there are. */
export const listSome = (items: readonly (string | number)[], count: number): string =>
  `${items.join(', ')}${count > items.length ? ` and ${count - items.length} more` : ''}`

/** Throws an OperatorError unless the table has the columns of `required`, and each column is one of `known`. */
export function requireColumns(
  path: string,
  { header, headerLine }: Table,
  known: readonly string[],
  required: readonly string[],
): void {
  const place = `${path}, line ${headerLine},`
  const nameless = header.indexOf('')
  if (nameless >= 0) throw new OperatorError(`${place} has no name for column ${nameless + 1}, which has values`)
  const unknown = header.filter((name) => !known.includes(name) && !OWN_COLUMN.test(name))
  if (unknown.length > 0) {
    const shown = unknown.slice(0, UNKNOWN_SHOWN_MAX).map((name) => truncate(name))
    const names = listSome(shown, unknown.length)
    const forms = [...known, ...OWN_COLUMN_FORMS]
    throw new OperatorError(
      `${place} has unknown columns: ${names}. Known are ${forms.join(', ')}${suggest(shown, known)}`,
    )
  }
  const missing = required.filter((name) => !header.includes(name))
  if (missing.length > 0) throw new OperatorError(`${place} lacks the columns ${missing.join(', ')}`)
  const names = new Set<string>()
  for (const name of header) {
    if (names.has(name)) throw new OperatorError(`${place} has the column ${name} twice`)
    names.add(name)
  }
}

/** `scheduled_at` and `Scheduled At` stand for `scheduledAt`. */
function suggest(unknown: readonly string[], known: readonly string[]): string {
  const meant = unknown.flatMap((name) => {
    const nearest = findNearest(name.replaceAll(/[\s_-]/g, ''), known)
    return nearest === undefined ? [] : [`${nearest} by ${name}`]
  })
  return meant.length === 0 ? '' : `. Did you mean ${meant.join(', ')}?`
}
