import { INVALID_REQUEST, type Issue } from '../schemas/error.ts'
import type { ErrorCode } from '../schemas/error-codes.ts'
import { fileTooLargeMessage } from '../schemas/messages.ts'

/** An error whose message and code the caller may read. Everything else that is thrown becomes an opaque 500. */
export class AppError extends Error {
  readonly statusCode: 400 | 401 | 403 | 404 | 409 | 412 | 413 | 416 | 502 | 503
  readonly code: ErrorCode
  /** The mistakes in the shape of the request. */
  readonly details: Issue[] | undefined

  constructor(statusCode: AppError['statusCode'], code: ErrorCode, message: string, details?: Issue[]) {
    super(message)
    this.statusCode = statusCode
    this.code = code
    this.details = details
  }
}

/** The maximum of issues in one response. */
export const ISSUES_MAX = 20

/** A 400 that lists the mistakes in the shape of the request. */
export const invalidRequest = (issues: Issue[]) =>
  new AppError(400, 'invalid_request', INVALID_REQUEST, issues.slice(0, ISSUES_MAX))

export const fileTooLarge = (bytesMax: number) => new AppError(413, 'file_too_large', fileTooLargeMessage(bytesMax))

/** A failure that the operator can correct. A command prints the message as one line on stderr, and exits with 1. */
export class OperatorError extends Error {}
