import { OperatorError } from '../../../errors.ts'
import { truncate } from '../../../http/json.ts'
import { OWN_COLUMN, OWN_COLUMN_FORMS } from '../../import-columns.ts'
import type { Table } from './csv.ts'

/** As a spreadsheet counts, with the names of the columns in row 1. Empty lines do not count. */
export const rowNumber = (index: number) => index + 2

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
    throw new OperatorError(
      `${place} has unknown columns: ${names}. Known are ${[...known, ...OWN_COLUMN_FORMS].join(', ')}`,
    )
  }
  const missing = required.filter((name) => !header.includes(name))
  if (missing.length > 0) throw new OperatorError(`${place} lacks the columns ${missing.join(', ')}`)
  const repeated = header.find((name, index) => header.indexOf(name) !== index)
  if (repeated !== undefined) throw new OperatorError(`${place} has the column ${repeated} twice`)
}
