import type { Command } from 'commander'
import { migrate } from '../../../db/migrate.ts'
import { hasSqlstate, SQLSTATE } from '../../../db/sqlstate.ts'
import { OperatorError } from '../../base/errors.ts'
import { readConfig } from '../../run/config/config.ts'
import { openDatabase } from '../../run/runtime/database.ts'
import { escapeControls } from '../../run/runtime/terminal.ts'
import type { Action, Io, Json } from '../action.ts'
import { print } from '../output.ts'

/**
 * Runs an action of `command`, and prints its result. The embedded database is migrated first: no other version uses
 * it, and the command may run before the first start.
 */
export async function runOnDatabase<Options extends object, Result extends object>(
  command: Command,
  io: Io,
  { run, toText, toCsv, isPartial, isForAnySchema }: Action<Options, Result>,
): Promise<void> {
  const config = readConfig(io.env)
  const options = command.opts<Options & Json & { csv?: boolean }>()
  const { db, close } = await openDatabase(config, { purpose: nameOf(command) })
  try {
    if (!isForAnySchema && !config.databaseUrl) await migrate(db)
    const result = await run({ db, config, io }, options, ...command.args).catch(explainMissingOwner)
    if (options.csv && toCsv) io.stdout.write(escapeControls(toCsv(result)))
    else print(io, result, options, toText)
    if (isPartial?.(result)) io.exitCode = 1
  } finally {
    await close()
  }
}

/** The words after `postroom`, such as `key create`. */
function nameOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name()
}

function explainMissingOwner(error: { constraint?: string }): never {
  if (!hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION)) throw error
  throw notFound(error.constraint?.includes('organization') ? 'organisation' : 'user')
}

/** Throws the error that the operator reads if `isFound` is false. */
export function requireFound(isFound: boolean, thing: string): void {
  if (!isFound) throw notFound(thing)
}

const notFound = (thing: string) => new OperatorError(`There is no ${thing} with this id`)
