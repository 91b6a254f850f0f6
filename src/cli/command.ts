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

type Run<Options, Result> = (db: Db, options: Options, ...args: string[]) => Promise<Result>

/**
 * Makes `command` call `run` with the database as it is, its options and its arguments, and print the result: for people as
 * `toText` has it, by default as lines of names and values.
 */
export function withUnmigratedDatabase<Options extends object, Result extends object = Record<string, unknown>>(
  command: Command,
  run: Run<Options, Result>,
  toText?: (result: Result) => string,
): void {
  withJson(command).action(async () => {
    const options = command.opts<Options & Json>()
    const { db, close } = await openDatabase(readConfig(process.env), { purpose: nameOf(command) })
    try {
      print(await run(db, options, ...command.args).catch(explainMissingOwner), options, toText)
    } finally {
      await close()
    }
  })
}

/**
 * Does the same on a database with tables. The embedded database is migrated first: no other version uses it, and the
 * command may run before the first start.
 */
export const withDatabase = <Options extends object, Result extends object = Record<string, unknown>>(
  command: Command,
  run: Run<Options, Result>,
  toText?: (result: Result) => string,
): void =>
  withUnmigratedDatabase<Options, Result>(
    command,
    async (db, options, ...args) => {
      if (!readConfig(process.env).databaseUrl) await migrate(db)
      return run(db, options, ...args)
    },
    toText,
  )

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
