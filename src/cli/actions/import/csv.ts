import { isUtf8 } from 'node:buffer'
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { OperatorError } from '../../../base/errors.ts'

/** A table as a spreadsheet saves it. */
export interface Table {
  /** The names of the columns. */
  header: string[]
  /** The line of the file that has them. */
  headerLine: number
  /** The cells of each row, as many as there are columns. */
  rows: string[][]
  delimiter: string
  encoding: Encoding
  hasByteOrderMark: boolean
}

const BYTE_ORDER_MARK = '\ufeff'

/** Excel saves "Unicode Text" in UTF-16. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** Spreadsheets in many languages write semicolons, because the comma is their decimal point. */
const DELIMITERS = [',', ';', '\t']

/** A file may have several of them, such as one that was put together from others. */
const LINE_ENDS = ['\r\n', '\n', '\r']

/** The first line of files that are made for Excel, which reads the delimiter from it and does not show it. */
const SEPARATOR_LINE = /^\ufeff?"?sep=(.*?)"?(?:\r\n|\n|\r|$)/i

const EMPTY_LINES = /^\ufeff?[\r\n]*/

/** Reads a file of comma-separated values, whose first row has the names of the columns. */
export async function readTable(path: string): Promise<Table> {
  const bytes = await readFile(path).catch(({ code }) => {
    throw new OperatorError(`${path} cannot be read (${code})`)
  })
  const { text, encoding } = decode(path, bytes)
  const [separatorLine, separator] = SEPARATOR_LINE.exec(text) ?? []
  const [emptyLines] = EMPTY_LINES.exec(text)!
  const headerLine = separatorLine === undefined ? emptyLines.split(/\r\n|\n|\r/).length : 2
  const delimiter = separator ?? findDelimiter(text.slice(emptyLines.length))
  if (delimiter.length !== 1 || delimiter === '"') {
    const found = JSON.stringify(separatorLine!.trim())
    throw new OperatorError(`${path}, line 1: ${found} has to name one character as the delimiter, such as sep=;`)
  }
  try {
    let length: number | undefined
    const [header = [], ...rows] = parse(text, {
      bom: true,
      delimiter,
      skip_empty_lines: true,
      from_line: headerLine,
      record_delimiter: LINE_ENDS,
      relax_column_count: true,
      on_record: (cells, { lines }) => {
        length ??= cells.length
        return withLength(cells, length, lines)
      },
    })
    const hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK)
    const named = { header: header.map((name) => name.trim()), rows }
    return { ...withoutEmptyEdges(named), headerLine, delimiter, encoding, hasByteOrderMark }
  } catch (error) {
    const { message, lines, code = '' } = error as Error & { lines?: number; code?: string }
    const place = lines === undefined || /\bline \d/.test(message) ? '' : ` on line ${lines}`
    throw new OperatorError(`${path} is not a valid CSV file: ${message}${place}${MENDS[code] ?? ''}`)
  }
}

/** Spreadsheets and Outlook leave out the last delimiters of rows that have nothing there, or write more of them. */
function withLength(cells: string[], length: number, lines: number): string[] {
  if (cells.slice(length).some(isFilled)) {
    const message = `Invalid Record Length: a row has ${cells.length} cells, the first has ${length}`
    throw Object.assign(new Error(message), { code: LENGTH, lines })
  }
  return Array.from({ length }, (_, column) => cells[column] ?? '')
}

const isFilled = (cell: string) => cell.trim() !== ''

/** The code of csv-parse for a row with too many cells. */
const LENGTH = 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH'

const IN_QUOTES = '. Put double quotes around the cell, and write each one inside of it twice, as in "6"" nails"'

/** By the codes of csv-parse. */
const MENDS: Record<string, string> = {
  [LENGTH]:
    '. Every row has as many cells as the first at most: put double quotes around a cell with a delimiter or a line break',
  CSV_INVALID_CLOSING_QUOTE: IN_QUOTES,
  CSV_QUOTE_NOT_CLOSED: IN_QUOTES,
  INVALID_OPENING_QUOTE: IN_QUOTES,
}

/** Leaves out the empty last rows and columns that spreadsheets save: columns without a name and a value anywhere. */
function withoutEmptyEdges({ header, rows }: Pick<Table, 'header' | 'rows'>): Pick<Table, 'header' | 'rows'> {
  const filled = rows.slice(0, rows.findLastIndex((cells) => cells.some(isFilled)) + 1)
  const isKept = header.map((name, column) => name !== '' || filled.some((cells) => isFilled(cells[column]!)))
  const pick = (cells: string[]) => cells.filter((_, column) => isKept[column])
  return { header: pick(header), rows: filled.map(pick) }
}

function findDelimiter(text: string): string {
  const [firstLine = ''] = text.split(/\r?\n|\r/, 1)
  const countOf = (delimiter: string) => firstLine.split(delimiter).length
  return DELIMITERS.toSorted((a, b) => countOf(b) - countOf(a))[0]!
}

function decode(path: string, bytes: Buffer): { text: string; encoding: Encoding } {
  const encoding = findEncoding(bytes)
  try {
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes), encoding }
  } catch {
    const line = encoding === 'utf-8' ? `, line ${findInvalidLine(bytes)},` : ''
    throw new OperatorError(`${path}${line} is not valid ${encoding.toUpperCase()}: save it as "CSV UTF-8"`)
  }
}

/** By the byte order mark, or by the zeros of UTF-16 without one: a name of a column is in ASCII. */
function findEncoding([first, second]: Buffer): Encoding {
  if ((first === 0xff && second === 0xfe) || second === 0) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || first === 0) return 'utf-16be'
  return 'utf-8'
}

/** The line of the first bytes that are no UTF-8. */
function findInvalidLine(bytes: Buffer): number {
  const lines = bytes.toString('latin1').split('\n')
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1
}

/** Writes a table so that the same program can open it. */
export async function writeTable(
  path: string,
  { header, rows, delimiter, encoding, hasByteOrderMark, headerLine }: Table,
): Promise<void> {
  const quote = (cell: string) =>
    cell.includes(delimiter) || /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  const lines = [header, ...rows].map((cells) => cells.map(quote).join(delimiter))
  if (headerLine > 1) lines.unshift(`sep=${delimiter}`)
  const text = `${hasByteOrderMark ? BYTE_ORDER_MARK : ''}${lines.join('\r\n')}\r\n`
  await writeFile(path, encode(text, encoding)).catch(({ code }) => {
    throw new OperatorError(`${path} cannot be written (${code})`)
  })
}

function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  const bytes = Buffer.from(text, 'utf16le')
  return encoding === 'utf-16le' ? bytes : bytes.swap16()
}
