import { INVALID_REQUEST, type Issue } from '../schemas/error.ts'
import type { ErrorCode } from '../schemas/error-codes.ts'
import { CURSOR_EXPIRED } from '../schemas/list-events.ts'
import {
  fileTooLargeMessage,
  lacksScope,
  type MediaQuotaFacts,
  POST_CHANGED,
  quotaMessage,
  TOO_MANY_UPLOADS,
  TOO_MANY_WAIT,
  tooManyFailedKeys,
  tooManyRequests,
} from '../schemas/messages.ts'
import type { Scope } from '../schemas/scopes.ts'

/** An error whose message and code the caller may read. Everything else that is thrown becomes an opaque 500. */
export class AppError extends Error {
  readonly statusCode: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 412 | 413 | 416 | 429 | 502 | 503
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

/** A 403 for an API key that lacks `scope`. */
export class MissingScope extends AppError {
  readonly scope: Scope

  constructor(scope: Scope) {
    super(403, 'insufficient_scope', lacksScope(scope))
    this.scope = scope
  }
}

const RATE_MESSAGES = {
  rate_limited: tooManyRequests,
  too_many_failed_keys: tooManyFailedKeys,
  too_many_waiting: () => TOO_MANY_WAIT,
  too_many_uploads: () => TOO_MANY_UPLOADS,
}

/** A 429 with `Retry-After`. */
export class RateLimited extends AppError {
  readonly retryAfterSeconds: number

  constructor(code: keyof typeof RATE_MESSAGES, retryAfterSeconds: number) {
    super(429, code, RATE_MESSAGES[code](retryAfterSeconds))
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A 412 of a request with `If-Match`. The response has the present ETag. */
export class PreconditionFailed extends AppError {
  readonly etag: string

  constructor(etag: string) {
    super(412, 'precondition_failed', POST_CHANGED)
    this.etag = etag
  }
}

/** A 410 for a cursor whose events are no longer kept. The response has the cursor of the oldest ones that are. */
export class CursorExpired extends AppError {
  readonly oldest: string

  constructor(oldest: string) {
    super(410, 'cursor_expired', CURSOR_EXPIRED)
    this.oldest = oldest
  }
}

/** The maximum of issues in one response. */
export const ISSUES_MAX = 20

/** A 400 that lists the mistakes in the shape of the request. */
export const invalidRequest = (issues: Issue[]) =>
  new AppError(400, 'invalid_request', INVALID_REQUEST, issues.slice(0, ISSUES_MAX))

export const fileTooLarge = (bytesMax: number) => new AppError(413, 'file_too_large', fileTooLargeMessage(bytesMax))

export const quotaExceeded = (quota: MediaQuotaFacts) => new AppError(409, 'media_quota', quotaMessage(quota))

/** A failure that the operator can correct. A command prints the message as one line on stderr, and exits with 1. */
export class OperatorError extends Error {}
