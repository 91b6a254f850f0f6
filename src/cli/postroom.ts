import { CommanderError } from 'commander'
import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { ConfigError } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { ignoreInspectorSignal } from '../runtime/signals.ts'
import { buildProgram } from './program.ts'

/** Runs the command. Returns the exit code: 0 for success, 1 for a failure, 2 for a usage error. */
async function main(): Promise<number> {
  ignoreInspectorSignal()
  try {
    await buildProgram().parseAsync()
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`error: ${explain(error)}\n`)
    return error instanceof ConfigError ? 2 : 1
  }
}

function explain(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  if (error instanceof OperatorError || error instanceof ConfigError) return message
  if (hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE, SQLSTATE.UNDEFINED_COLUMN)) {
    return 'The database lacks tables or columns of this version: run npm run -s postroom -- migrate'
  }
  if (hasSqlstate(error, SQLSTATE.INSUFFICIENT_PRIVILEGE)) {
    return `The role in DATABASE_URL lacks a privilege (${message}): give it a database of its own`
  }
  if (isDatabaseUnavailable(error)) return `The database is not available: ${message || code}`
  return message
}

process.exitCode = await main()
