import type { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import type { Db } from '../../db/client.ts'
import type { Config } from '../config.ts'

/*
 * The files of this folder define commands: names, options and help texts. They import commander and lists of values alone,
 * so that a help text needs neither time nor memory. What a command does is in actions/, which is imported when it runs.
 */

/** Input and output of a command: those of its process, or of a test that runs it. */
export interface Io {
  env: Record<string, string | undefined>
  stdin: Readable
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  /** The exit code of a command that ends without an error. */
  exitCode?: number | string | null | undefined
}

export interface Json {
  json?: boolean
}

/** Adds the option `--json` to `command`. */
export const withJson = (command: Command) => command.option('--json', 'print one JSON object and nothing else')

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
  toText?(result: Result): string
  /** Whether the command could do only a part of its work: it exits with 1 then. */
  isPartial?(result: Result): boolean
  /** Whether the database may lack tables. */
  isForAnySchema?: boolean
}

/** Makes `command` run the action that `load` imports, and print its result. */
export function withDatabase<Options extends object, Result extends object>(
  command: Command,
  io: Io,
  load: () => Promise<Action<Options, Result>>,
): void {
  withJson(command).action(async () => {
    const action = await load()
    const { runOnDatabase } = await import('./actions/on-database.ts')
    await runOnDatabase(command, io, action)
  })
}
