import type { Readable, Writable } from 'node:stream'
import type { Db } from '../../db/client.ts'
import type { Config } from '../run/config/config.ts'

/** A stream that may be a terminal. */
export interface Terminal {
  isTTY?: boolean
  /** Its width. */
  columns?: number
}

/** Input and output of a command: those of its process, or of a test that runs it. */
export interface Io {
  env: Record<string, string | undefined>
  stdin: Readable
  stdout: Writable & Terminal
  stderr: Writable & Terminal
  /** The exit code of a command that ends without an error. */
  exitCode?: number | string | null | undefined
}

export interface Json {
  json?: boolean
}

export interface Context {
  db: Db
  config: Config
  io: Io
}

/** The work of a command on the database. */
export interface Action<Options extends object = object, Result extends object = Record<string, unknown>> {
  /** Gets the options and the arguments of the command. Returns what is printed. */
  run(context: Context, options: Options, ...args: string[]): Promise<Result>
  /** Formats the result for people. By default, it becomes lines of names and values. */
  toText?(result: Result, terminal: Terminal): string
  /** Formats the result for a spreadsheet. Absent if the command has no option `--csv`. */
  toCsv?(result: Result): string
  /** Whether the command could do only a part of its work: it exits with 1 then. */
  isPartial?(result: Result): boolean
  /** Whether the database may lack tables. */
  isForAnySchema?: boolean
}
