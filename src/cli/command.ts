import { type Command, InvalidArgumentError } from 'commander'
import type { Db } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { parseTime } from '../../schemas/time.ts'
import { readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { openDatabase } from '../runtime/database.ts'
import { print } from './output.ts'

/** Lets `command` print one JSON object instead of lines for people. */
export const withJson = (command: Command) => command.option('--json', 'print one JSON object and nothing else')

type Run<Options> = (db: Db, options: Options, ...args: string[]) => Promise<Record<string, unknown>>

/** Makes `command` do `run` on the database as it is, with its options and arguments, and print what comes of it. */
export function onRawDatabase<Options extends object>(command: Command, run: Run<Options>): void {
  withJson(command).action(async () => {
    const options = command.opts<Options & { json?: boolean }>()
    const { db, close } = await openDatabase(readConfig(process.env))
    try {
      print(await run(db, options, ...command.args).catch(nameMissingOwner), options)
    } finally {
      await close()
    }
  })
}

/**
 * The same on a database that has its tables. The embedded one is brought to the version of this code: nobody else uses
 * it, and a command may come before the first start.
 */
export const onDatabase = <Options extends object>(command: Command, run: Run<Options>): void =>
  onRawDatabase<Options>(command, async (db, options, ...args) => {
    if (!readConfig(process.env).databaseUrl) await migrate(db)
    return run(db, options, ...args)
  })

function nameMissingOwner(error: { constraint?: string }): never {
  if (!hasSqlstate(error, SQLSTATE.FOREIGN_KEY_VIOLATION)) throw error
  throw new OperatorError(
    error.constraint?.includes('organization')
      ? 'There is no organisation with this id'
      : 'There is no user with this id',
  )
}

/** Gives `result` where the thing was found; throws what the user reads where it was not. */
export function orMissing<T>(found: boolean, thing: string, result: T): T {
  if (!found) throw new OperatorError(`There is no ${thing} with this id`)
  return result
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new InvalidArgumentError('It must be a whole number above 0.')
  }
  return Number(text)
}

export function pixels(text: string): number {
  const value = positiveInteger(text)
  if (value > 0x7fffffff) throw new InvalidArgumentError('It must be at most 2147483647.')
  return value
}

export function seconds(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds, such as 21.5.')
  return Number(text)
}

export function time(text: string): Date {
  const result = parseTime(text)
  if ('problem' in result) throw new InvalidArgumentError(`${result.problem}. Write it like 2027-01-31T09:30:00Z.`)
  return result.time
}

export function mimeType(text: string): string {
  if (!/^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/.test(text)) throw new InvalidArgumentError('It must be like image/jpeg.')
  return text
}
