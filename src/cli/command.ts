import { type Command, Option } from 'commander'
import type { Action, Io } from './action.ts'
import { parseTimeZone } from './options.ts'

/*
 * The files of this folder define commands: names, options and help texts. They import commander and lists of values
 * alone, so that a help text needs neither time nor memory. What a command does is in actions/, which is imported when
 * it runs.
 */

/** Adds the option `--json` to `command`. */
export const withJson = (command: Command) => command.option('--json', 'print one JSON object and nothing else')

/** Adds what a command needs to read a file of posts: its path, and how its times are read. */
export const withTable = (command: Command) =>
  command
    .argument('<file>', 'the path of the file, in UTF-8 or UTF-16')
    .option('--time-zone <name>', 'the zone of times such as 2027-01-31 09:30, such as Europe/Berlin', parseTimeZone)
    .addOption(
      new Option(
        '--dates <order>',
        'the order of dates that Excel has changed: mdy for 1/31/2027 9:30 AM, dmy for 31/01/2027 09:30 and 31.01.2027 09:30',
      ).choices(['mdy', 'dmy']),
    )

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
