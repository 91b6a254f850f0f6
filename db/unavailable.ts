import { hasSqlstate, isNameLost, SQLSTATE } from './sqlstate.ts'

/** Errors of the network on an established connection. */
const NETWORK_CODES = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']

/** node-postgres stopped waiting for the result of a statement. */
export const QUERY_READ_TIMEOUT = 'Query read timeout'

/** Errors of node-postgres, which carry no code. */
const DRIVER_MESSAGES = [
  'Connection terminated unexpectedly',
  QUERY_READ_TIMEOUT,
  'Client has encountered a connection error and is not queryable',
  // From a rollback on a connection that was closed during its transaction.
  'Client was closed and is not queryable',
]

interface DatabaseError {
  /** Set by `connect` on every error that occurred before there was a connection. */
  atConnect?: boolean
  code?: string
  message?: string
  severity?: string
  /** The C function of Postgres that raised the error. */
  routine?: string
}

/** Whether `error` means that the database cannot be reached or does not serve at the moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { atConnect, code, message } = error as DatabaseError
  if (atConnect) return true
  if (!code) return DRIVER_MESSAGES.includes(message ?? '')
  return NETWORK_CODES.includes(code) || isServerUnavailable(error) || isFromPooler(error) || isNameLost(error)
}

/**
 * Whether a connection was refused, or has no response, because the server or a pooler has none left. Supabase's pooler
 * has no SQLSTATE of its own for it.
 */
export function hasNoConnectionLeft(error: unknown): boolean {
  const { message = '' } = error as DatabaseError
  if (message === QUERY_READ_TIMEOUT || hasSqlstate(error, SQLSTATE.TOO_MANY_CONNECTIONS)) return true
  return /max ?clients|query_wait_timeout|no more connections allowed/i.test(message)
}

/** Whether the disk of the database is full. Reads may still succeed. */
export const isDatabaseFull = (error: unknown): boolean => hasSqlstate(error, SQLSTATE.DISK_FULL)

const isServerUnavailable = (error: unknown): boolean =>
  hasSqlstate(
    error,
    // Starting, stopping or crashed.
    SQLSTATE.ADMIN_SHUTDOWN,
    SQLSTATE.CRASH_SHUTDOWN,
    SQLSTATE.CANNOT_CONNECT_NOW,
    SQLSTATE.TOO_MANY_CONNECTIONS,
    // A broken link.
    SQLSTATE.SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
    SQLSTATE.CONNECTION_FAILURE,
    // No confirmation from the synchronous standby.
    SQLSTATE.TRANSACTION_RESOLUTION_UNKNOWN,
    // Read-only after a failover.
    SQLSTATE.READ_ONLY_SQL_TRANSACTION,
    // A time limit of a statement, a transaction or a lock.
    SQLSTATE.QUERY_CANCELED,
    SQLSTATE.IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    SQLSTATE.LOCK_NOT_AVAILABLE,
    // Failures of the server's machine.
    SQLSTATE.OUT_OF_MEMORY,
    SQLSTATE.IO_ERROR,
  )

/**
 * PgBouncer reports each of its own failures, such as a lost server, as a fatal protocol violation, then closes the
 * connection. From Postgres itself, which always names the routine, the same code means a bug in our messages.
 */
export function isFromPooler(error: unknown): boolean {
  const { severity, routine } = error as DatabaseError
  return hasSqlstate(error, SQLSTATE.PROTOCOL_VIOLATION) && severity === 'FATAL' && routine === undefined
}
