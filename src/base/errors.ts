import type { Issue } from '../../schemas/error.ts'
import { type CodedError, type ErrorArguments, type ErrorCode, type ErrorName, errorOf } from '../../schemas/errors.ts'
import type { Scope } from '../../schemas/scopes.ts'

/** An error whose message and code the caller may read. Everything else that is thrown becomes an opaque 500. */
export class AppError extends Error {
  readonly statusCode: CodedError['statusCode']
  readonly code: ErrorCode
  /** The mistakes in the shape of the request. */
  readonly details: Issue[] | undefined

  constructor({ statusCode, code, message }: CodedError, details?: Issue[]) {
    super(message)
    this.statusCode = statusCode
    this.code = code
    this.details = details
  }
}

/** Creates an error of schemas/errors.ts, with what its message is made from. */
export const fail = <Name extends ErrorName>(name: Name, ...args: ErrorArguments<Name>) =>
  new AppError(errorOf(name, ...args))

/** A 403 for an API key that lacks `scope`. */
export class MissingScope extends AppError {
  readonly scope: Scope

  constructor(scope: Scope) {
    super(errorOf('insufficient_scope', scope))
    this.scope = scope
  }
}

/** A 401 for a request that sends its API key where it is not read. */
export class MisplacedKey extends AppError {
  /** The advice to the client, in the characters of https://www.rfc-editor.org/rfc/rfc6750#section-3. */
  readonly mend: string

  constructor(mend: string) {
    super(errorOf('missing_api_key'))
    this.mend = mend
  }
}

/** A 404 for a path that does not exist. */
export class PathNotFound extends AppError {
  readonly hint: string

  constructor(hint: string) {
    super(errorOf('route_not_found'))
    this.hint = hint
  }
}

/** A 405 for a path that has other methods. */
export class MethodNotAllowed extends AppError {
  readonly methods: readonly string[]

  constructor(methods: readonly string[], error = errorOf('method_not_allowed', methods)) {
    super(error)
    this.methods = methods
  }
}

type RateLimitCode = 'rate_limited' | 'too_many_failed_keys' | 'too_many_waiting' | 'too_many_uploads'

/** A 429 with `Retry-After`. */
export class RateLimited extends AppError {
  readonly retryAfterSeconds: number

  constructor(code: RateLimitCode, retryAfterSeconds: number) {
    // Two of the messages do not depend on the time.
    super(errorOf(code as 'rate_limited', retryAfterSeconds))
    this.retryAfterSeconds = retryAfterSeconds
  }
}

type PreconditionName = 'precondition_failed' | `precondition_failed.${'account' | 'schedule'}`

/** A 412 of a request with `If-Match`. The response has the present ETag. */
export class PreconditionFailed extends AppError {
  readonly etag: string

  constructor(etag: string, name: PreconditionName = 'precondition_failed') {
    super(errorOf(name))
    this.etag = etag
  }
}

/** A 410 for a cursor whose events are no longer kept. The response has the cursor of the oldest ones that are. */
export class CursorExpired extends AppError {
  readonly oldest: string

  constructor(oldest: string) {
    super(errorOf('cursor_expired'))
    this.oldest = oldest
  }
}

/** The maximum of issues in one response. */
export const ISSUES_MAX = 20

/** A 400 that lists the mistakes in the shape of the request. */
export const invalidRequest = (issues: Issue[]) => new AppError(errorOf('invalid_request'), issues.slice(0, ISSUES_MAX))

/** A failure that the operator can correct. A command prints the message as one line on stderr, and exits with 1. */
export class OperatorError extends Error {}
