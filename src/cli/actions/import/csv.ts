import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { OperatorError } from '../../../errors.ts'

/** A table as a spreadsheet saves it. */
export interface Table {
  /** The names of the columns. */
  header: string[]
  /** The cells of each row, as many as there are columns. */
  rows: string[][]
  delimiter: string
  hasByteOrderMark: boolean
}

const BYTE_ORDER_MARK = '\ufeff'

/** Spreadsheets in many languages write semicolons, because the comma is their decimal point. */
const DELIMITERS = [',', ';', '\t']

/** Reads a file of comma-separated values, whose first row has the names of the columns. */
export async function readTable(path: string): Promise<Table> {
  const bytes = await readFile(path).catch(({ code }) => {
    throw new OperatorError(`${path} cannot be read (${code})`)
  })
  const text = decode(path, bytes)
  const [firstLine = ''] = text.split(/\r?\n/, 1)
  const countOf = (delimiter: string) => firstLine.split(delimiter).length
  const delimiter = DELIMITERS.toSorted((a, b) => countOf(b) - countOf(a))[0]!
  try {
    const [header = [], ...rows] = parse(text, { bom: true, delimiter, skip_empty_lines: true }) as string[][]
    const names = header.map((name) => name.trim())
    return { header: names, rows, delimiter, hasByteOrderMark: text.startsWith(BYTE_ORDER_MARK) }
  } catch (error) {
    throw new OperatorError(`${path} is not a valid CSV file: ${(error as Error).message}`)
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new OperatorError(`${path} is not valid UTF-8: save it as "CSV UTF-8"`)
  }
}

/** Writes a table so that the same program can open it. */
export async function writeTable(path: string, { header, rows, delimiter, hasByteOrderMark }: Table): Promise<void> {
  const lines = [header, ...rows].map((cells) => cells.map(quote).join(delimiter))
  const text = `${hasByteOrderMark ? BYTE_ORDER_MARK : ''}${lines.join('\r\n')}\r\n`
  await writeFile(path, text).catch(({ code }) => {
    throw new OperatorError(`${path} cannot be written (${code})`)
  })
}

const quote = (cell: string) => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
