import { CreatePost } from '../../../../schemas/create-post.ts'
import { BATCH } from '../../../../schemas/create-posts.ts'
import type { Issue } from '../../../../schemas/error.ts'
import { errorOf } from '../../../../schemas/errors.ts'
import { invalid, isLocalTime } from '../../../../schemas/time.ts'
import { AppError, OperatorError } from '../../../base/errors.ts'
import { parseJson } from '../../../base/http/json.ts'
import { validatorCompiler } from '../../../base/http/validation.ts'
import { readBody } from '../../../features/posts/body.ts'
import type { ImportedPost } from '../../../features/posts/import.ts'
import { type CellKind, OWN_COLUMN, PROPERTY_COLUMNS, REQUIRED_COLUMNS } from '../../import-columns.ts'
import { type DateOrder, readSpreadsheetTime } from './spreadsheet-time.ts'

const PARSERS: Record<Exclude<CellKind, 'time' | 'zone'>, (cell: string) => unknown> = {
  text: (cell) => cell,
  trimmed: (cell) => cell.trim(),
  ids: (cell) => cell.split(/[\s,;]+/).filter(Boolean),
  json: readJson,
  queue: (cell) => ({ queue: cell.trim() }),
}

/** The maximum length of the body that would create the post. */
const BYTES_MAX = 1024 * 1024

/** The reason why a row cannot be imported, for its author. */
class RowProblem extends OperatorError {}

/** How the times of a file are read. */
export interface RowOptions {
  /** The zone of times without one. */
  timeZone?: string
  /** The order of the dates that Excel writes. */
  dates?: DateOrder
}

/** Reads one row, with the text of each column. Throws a `RowProblem`. */
export function readRow(cells: Record<string, string>, options: RowOptions): ImportedPost {
  const raw: Record<string, unknown> = {}
  for (const [column, kind] of Object.entries(PROPERTY_COLUMNS)) {
    const cell = cells[column] ?? ''
    if (cell.trim() === '' || kind === 'zone') continue
    if (kind === 'time') Object.assign(raw, readTime(cell.trim(), cells, options))
    else raw[column] = explained(column, () => PARSERS[kind](cell))
  }
  const origins = addOwnCells(raw, cells, options)
  for (const column of REQUIRED_COLUMNS) {
    if (raw[column] === undefined) throw new RowProblem(`${column} is empty`)
  }
  const bytes = Buffer.from(JSON.stringify(raw))
  if (bytes.length > BYTES_MAX) throw new RowProblem(errorOf('body_too_large.post').message)
  const result = validate(explained('', () => parseJson(bytes))) as { value: ImportedPost } | { error: Error }
  if ('error' in result) throw new RowProblem(explain(result.error, origins))
  const { value } = result
  const read = readBody(value)
  if ('issues' in read) throw new RowProblem(explainIssues(read.issues, origins))
  const count = read.targets.length
  if (count > BATCH.accountsMax) throw new RowProblem(`${count} accounts, at most ${BATCH.accountsMax} are allowed`)
  return value
}

const validate = validatorCompiler({ schema: CreatePost, method: 'POST', url: '/posts', httpPart: 'body' })

/** The columns from which overrides come, by the path of their properties. */
type Origins = ReadonlyMap<string, string>

/** Adds the cells of columns for one account to its override. Returns where they are. */
function addOwnCells(raw: Record<string, unknown>, cells: Record<string, string>, options: RowOptions): Origins {
  const origins = new Map<string, string>()
  for (const [column, cell] of Object.entries(cells)) {
    const [, property, accountId] = OWN_COLUMN.exec(column) ?? []
    if (property === undefined || cell.trim() === '') continue
    raw.accountOverrides ??= []
    const overrides = raw.accountOverrides
    // The validator refuses anything else, with its reason.
    if (!Array.isArray(overrides)) break
    const known = overrides.find((override) => override?.accountId === accountId)
    if (known?.[property] !== undefined) {
      throw new RowProblem(`${column}: accountOverrides has ${property} for this account too, leave out one of them`)
    }
    const value = property === 'scheduledAt' ? toTime(column, cell.trim(), options) : PARSERS.ids(cell)
    const index = known ? overrides.indexOf(known) : overrides.length
    if (known) known[property] = value
    else {
      overrides.push({ accountId, [property]: value })
      origins.set(pathOf(['accountOverrides', index, 'accountId']), column)
    }
    origins.set(pathOf(['accountOverrides', index, property]), column)
  }
  return origins
}

function readJson(cell: string): unknown {
  try {
    JSON.parse(cell)
  } catch {
    throw new RowProblem('not valid JSON')
  }
  return parseJson(Buffer.from(cell))
}

function toTime(column: string, text: string, { dates }: RowOptions): string {
  const result = readSpreadsheetTime(text, dates)
  if ('problem' in result) throw new RowProblem(`${column}: ${invalid(result.problem).problem}`)
  return result.time
}

/** The zone of a row or of the file applies to local times only: most tables have it in every row. */
function readTime(text: string, { timeZone: zone, fold }: Record<string, string>, options: RowOptions) {
  const scheduledAt = toTime('scheduledAt', text, options)
  if (!isLocalTime(scheduledAt)) return { scheduledAt }
  const timeZone = zone?.trim() || options.timeZone
  if (timeZone === undefined) {
    throw new RowProblem(
      'scheduledAt has no time zone: use --time-zone, fill the column timeZone, or end the time with Z or an offset',
    )
  }
  return { scheduledAt, timeZone, ...(fold?.trim() && { fold: fold.trim() }) }
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

function explain(error: Error, origins?: Origins): string {
  const { details } = error as AppError
  return details ? explainIssues(details, origins) : error.message
}

const explainIssues = (issues: readonly Pick<Issue, 'path' | 'message'>[], origins: Origins = new Map()) =>
  issues.map((issue) => explainIssue(issue, origins)).join('; ')

function explainIssue({ path, message }: Pick<Issue, 'path' | 'message'>, origins: Origins): string {
  const column = origins.get(pathOf(path.slice(0, 3)))
  const place = column === undefined ? pathOf(path) : pathOf([column, ...path.slice(3)])
  return place ? `${place}: ${message}` : message
}

const pathOf = (path: Issue['path']) => path.join('.')
