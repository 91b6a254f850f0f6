import { hasSqlstate, SQLSTATE } from '../../db/sqlstate.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { OperatorError } from '../base/errors.ts'
import { ConfigError } from '../run/config/config.ts'

/** The message about an error for the operator, and the exit code: 1 for a failure, 2 for a wrong configuration. */
export const explainFailure = (error: unknown): { message: string; exitCode: number } => ({
  message: explain(error),
  exitCode: error instanceof ConfigError ? 2 : 1,
})

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
