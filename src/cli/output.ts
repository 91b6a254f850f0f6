import { toLine } from '../base/line.ts'
import { escapeControls } from '../run/runtime/terminal.ts'
import type { Io, Terminal } from './action.ts'

/** Prints the result of a command: one line of JSON for programs, or aligned lines for people. */
export function print<Result extends object>(
  { stdout }: Io,
  result: Result,
  { json = false }: { json?: boolean } = {},
  toText: (result: Result, terminal: Terminal) => string = (result) => format(result as Record<string, unknown>),
): void {
  stdout.write(`${escapeControls(json ? JSON.stringify(result) : toText(result, stdout))}\n`)
}

function format(result: Record<string, unknown>): string {
  if (Array.isArray(result.data)) return result.data.map(format).join('\n\n') || 'none'
  const width = Math.max(...Object.keys(result).map((key) => key.length))
  return Object.entries(result)
    .map(([key, value]) => `${key.padEnd(width)}  ${formatValue(value)}`)
    .join('\n')
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ') || 'none'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object' && value !== null) return toLine(Object.values(value).join(' '))
  return value === null ? '-' : toLine(String(value))
}
