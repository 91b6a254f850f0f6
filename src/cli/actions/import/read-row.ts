import { CreatePost } from '../../../../schemas/create-post.ts'
import { BATCH } from '../../../../schemas/create-posts.ts'
import { errorOf } from '../../../../schemas/errors.ts'
import { AppError } from '../../../errors.ts'
import { parseJson } from '../../../http/json.ts'
import { validatorCompiler } from '../../../http/validation.ts'
import { findIssues } from '../../../posts/body.ts'
import type { ImportedPost } from '../../../posts/import.ts'
import { isLocalTime, isTimeZone, toInstant, unknownZoneMessage } from '../../../posts/time-zone.ts'
import { type CellKind, PROPERTY_COLUMNS, REQUIRED_COLUMNS } from '../../import-columns.ts'

const PARSERS: Record<Exclude<CellKind, 'time'>, (cell: string) => unknown> = {
  text: (cell) => cell,
  trimmed: (cell) => cell.trim(),
  ids: (cell) => cell.split(/[\s,;]+/).filter(Boolean),
  json: readJson,
}

/** The maximum length of the body that would create the post. */
const BYTES_MAX = 1024 * 1024

/** The reason why a row cannot be imported, for its author. */
export class RowProblem extends Error {}

/** Reads one row, with the text of each column. Throws a `RowProblem`. */
export function readRow(cells: Record<string, string>, defaultZone: string | undefined): ImportedPost {
  const timeZone = cells.timeZone?.trim() || defaultZone
  const raw: Record<string, unknown> = {}
  for (const [column, kind] of Object.entries(PROPERTY_COLUMNS)) {
    const cell = cells[column] ?? ''
    if (cell.trim() === '') continue
    raw[column] = kind === 'time' ? readTime(cell.trim(), timeZone) : explained(column, () => PARSERS[kind](cell))
  }
  for (const column of REQUIRED_COLUMNS) {
    if (raw[column] === undefined) throw new RowProblem(`${column} is empty`)
  }
  const bytes = Buffer.from(JSON.stringify(raw))
  if (bytes.length > BYTES_MAX) throw new RowProblem(errorOf('body_too_large.post').message)
  const result = validate(explained('', () => parseJson(bytes))) as { value: ImportedPost } | { error: Error }
  if ('error' in result) throw new RowProblem(explain(result.error))
  const { value } = result
  const issues = findIssues(value)
  if (issues.length > 0) throw new RowProblem(issues.map(explainIssue).join('; '))
  const count = new Set(value.accountIds).size
  if (count > BATCH.accountsMax) throw new RowProblem(`${count} accounts, at most ${BATCH.accountsMax} are allowed`)
  return value
}

const validate = validatorCompiler({ schema: CreatePost, method: 'POST', url: '/posts', httpPart: 'body' })

function readJson(cell: string): unknown {
  try {
    JSON.parse(cell)
  } catch {
    throw new RowProblem('not valid JSON')
  }
  return parseJson(Buffer.from(cell))
}

function readTime(text: string, timeZone: string | undefined): string {
  if (!isLocalTime(text)) return text
  if (timeZone === undefined) {
    throw new RowProblem(
      'scheduledAt has no time zone: use --time-zone, fill the column timeZone, or end the time with Z or an offset',
    )
  }
  if (!isTimeZone(timeZone)) throw new RowProblem(`timeZone: ${unknownZoneMessage(timeZone)}`)
  const result = toInstant(text, timeZone)
  if ('problem' in result) throw new RowProblem(`scheduledAt: ${result.problem}`)
  return result.time.toISOString()
}

/** Runs `read`, and turns the error of a request into one of the row. */
function explained<T>(column: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError || error instanceof RowProblem)) throw error
    throw new RowProblem(`${column && `${column}: `}${explain(error)}`)
  }
}

const explain = (error: Error): string => (error as AppError).details?.map(explainIssue).join('; ') ?? error.message

const explainIssue = ({ path, message }: { path: (string | number)[]; message: string }) =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message
