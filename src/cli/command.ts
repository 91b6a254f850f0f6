import type { Command } from 'commander'
import type { Db } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { openDatabase } from '../runtime/database.ts'
import { print } from './output.ts'

export interface Json {
  json?: boolean
}

/** Adds the option `--json` to `command`. */
export const withJson = (command: Command) => command.option('--json', 'print one JSON object and nothing else')

type Run<Options> = (db: Db, options: Options, ...args: string[]) => Promise<Record<string, unknown>>

/** Makes `command` call `run` with the database as it is, its options and its arguments, and print the result. */
export function withUnmigratedDatabase<Options extends object>(command: Command, run: Run<Options>): void {
  withJson(command).action(async () => {
    const options = command.opts<Options & Json>()
    const { db, close } = await openDatabase(readConfig(process.env), { purpose: nameOf(command) })
    try {
      print(await run(db, options, ...command.args).catch(explainMissingOwner), options)
    } finally {
      await close()
    }
  })
}

/**
 * Does the same on a database with tables. The embedded database is migrated first: no other version uses it, and the
 * command may run before the first start.
 */
export const withDatabase = <Options extends object>(command: Command, run: Run<Options>): void =>
  withUnmigratedDatabase<Options>(command, async (db, options, ...args) => {
    if (!readConfig(process.env).databaseUrl) await migrate(db)
    return run(db, options, ...args)
  })

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
