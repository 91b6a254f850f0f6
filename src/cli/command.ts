import type { Command } from 'commander'
import type { Action, Io } from './action.ts'

/*
 * The files of this folder define commands: names, options and help texts. They import commander and lists of values
 * alone, so that a help text needs neither time nor memory. What a command does is in actions/, which is imported when
 * it runs.
 */

/** Adds the option `--json` to `command`. */
export const withJson = (command: Command) => command.option('--json', 'print one JSON object and nothing else')

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
