import { CommanderError } from 'commander'
import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { ConfigError, readConfig } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { ignoreInspectorSignal } from '../runtime/signals.ts'
import type { Tracing } from '../runtime/tracing.ts'

/** Runs the command. Returns the exit code: 0 for success, 1 for a failure, 2 for a usage error. */
async function main(): Promise<number> {
  ignoreInspectorSignal()
  let tracing: Tracing | undefined
  try {
    // Before the program, which imports pg.
    if (isTraced()) tracing = await (await import('../runtime/tracing.ts')).startTracing()
    const { buildProgram } = await import('./program.ts')
    await buildProgram().parseAsync()
    // Set by a command that could do only part of its work.
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`error: ${explain(error)}\n`)
    return error instanceof ConfigError ? 2 : 1
  } finally {
    await tracing?.stop()
  }
}

/** Whether this is a process that serves or publishes, and is to be traced. */
const isTraced = () => ['start', 'serve', 'worker'].includes(process.argv[2] ?? '') && readConfig(process.env).hasTraces

function explain(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  if (error instanceof OperatorError || error instanceof ConfigError) return message
  if (hasSqlstate(error, SQLSTATE.UNDEFINED_TABLE, SQLSTATE.UNDEFINED_COLUMN)) {
    return 'The database lacks tables or columns of this version: run `postroom migrate`'
  }
  if (hasSqlstate(error, SQLSTATE.INSUFFICIENT_PRIVILEGE)) {
    return `The role in DATABASE_URL lacks a privilege (${message}): give it a database of its own`
  }
  if (isDatabaseUnavailable(error)) return `The database is not available: ${message || code}`
  return message
}

process.exitCode = await main()
