/**
 * The SQLSTATEs that this code handles, under their names in the PostgreSQL manual.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const SQLSTATE = {
  SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION: '08001',
  CONNECTION_FAILURE: '08006',
  TRANSACTION_RESOLUTION_UNKNOWN: '08007',
  PROTOCOL_VIOLATION: '08P01',
  FEATURE_NOT_SUPPORTED: '0A000',
  DIVISION_BY_ZERO: '22012',
  INVALID_PARAMETER_VALUE: '22023',
  UNTRANSLATABLE_CHARACTER: '22P05',
  FOREIGN_KEY_VIOLATION: '23503',
  UNIQUE_VIOLATION: '23505',
  CHECK_VIOLATION: '23514',
  READ_ONLY_SQL_TRANSACTION: '25006',
  IDLE_IN_TRANSACTION_SESSION_TIMEOUT: '25P03',
  TRANSACTION_TIMEOUT: '25P04',
  INVALID_SQL_STATEMENT_NAME: '26000',
  INVALID_CATALOG_NAME: '3D000',
  SERIALIZATION_FAILURE: '40001',
  DEADLOCK_DETECTED: '40P01',
  INSUFFICIENT_PRIVILEGE: '42501',
  UNDEFINED_COLUMN: '42703',
  UNDEFINED_TABLE: '42P01',
  DUPLICATE_DATABASE: '42P04',
  DUPLICATE_PREPARED_STATEMENT: '42P05',
  DISK_FULL: '53100',
  OUT_OF_MEMORY: '53200',
  TOO_MANY_CONNECTIONS: '53300',
  LOCK_NOT_AVAILABLE: '55P03',
  QUERY_CANCELED: '57014',
  ADMIN_SHUTDOWN: '57P01',
  CRASH_SHUTDOWN: '57P02',
  CANNOT_CONNECT_NOW: '57P03',
  IO_ERROR: '58030',
  RAISE_EXCEPTION: 'P0001',
} as const

type Sqlstate = (typeof SQLSTATE)[keyof typeof SQLSTATE]

/** The first two characters of a SQLSTATE. */
const CLASS = {
  CONNECTION_EXCEPTION: '08',
  DATA_EXCEPTION: '22',
  INTEGRITY_CONSTRAINT_VIOLATION: '23',
  INVALID_AUTHORIZATION_SPECIFICATION: '28',
}

/** Within class 57 (operator intervention): the server or its administrator ends the connection. */
const SHUTDOWN = '57P'

/** The code of an error: a SQLSTATE if Postgres or a pooler sent it, else a code of Node or none. */
const codeOf = (error: unknown): string => (error as { code?: string } | undefined)?.code ?? ''

export const hasSqlstate = (error: unknown, ...states: Sqlstate[]): boolean =>
  (states as string[]).includes(codeOf(error))

/** Whether the data of the statement caused the error: an invalid value or a violated constraint. */
export function isDataError(error: unknown): boolean {
  const code = codeOf(error)
  return code.startsWith(CLASS.DATA_EXCEPTION) || code.startsWith(CLASS.INTEGRITY_CONSTRAINT_VIOLATION)
}

/**
 * Whether a pooler has sent a prepared statement to a connection that has not prepared it, or that has prepared it for
 * another client.
 */
export const isNameLost = (error: unknown): boolean =>
  hasSqlstate(error, SQLSTATE.INVALID_SQL_STATEMENT_NAME, SQLSTATE.DUPLICATE_PREPARED_STATEMENT)

/**
 * Whether the same statement can succeed on a second attempt. Postgres reports a prepared statement whose table has
 * changed as an unsupported feature: "cached plan must not change result type".
 */
export const isRetryable = (error: unknown): boolean =>
  isNameLost(error) ||
  hasSqlstate(error, SQLSTATE.SERIALIZATION_FAILURE, SQLSTATE.DEADLOCK_DETECTED, SQLSTATE.FEATURE_NOT_SUPPORTED)

/** Whether the server is stopping, starting or full, so that a later attempt to connect can succeed. */
export const isServerBusy = (error: unknown): boolean =>
  codeOf(error).startsWith(SHUTDOWN) || hasSqlstate(error, SQLSTATE.TOO_MANY_CONNECTIONS)

/** Whether the connection cannot be used again: the server closes it, or a statement prepared on it fails forever. */
export function isConnectionOver(error: unknown): boolean {
  const code = codeOf(error)
  return (
    code.startsWith(CLASS.CONNECTION_EXCEPTION) ||
    code.startsWith(CLASS.INVALID_AUTHORIZATION_SPECIFICATION) ||
    isServerBusy(error) ||
    hasSqlstate(
      error,
      SQLSTATE.IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
      SQLSTATE.TRANSACTION_TIMEOUT,
      SQLSTATE.FEATURE_NOT_SUPPORTED,
    )
  )
}
