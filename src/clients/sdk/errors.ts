import type { ErrorBody, ErrorCode, Issue, PostDetail, RejectedPost, RejectedPosts } from './types.ts'

/** Any failure of a request. Without a response, it is a `ConnectionError`. */
export class PostroomError extends Error {
  /** The status of the response; 0 without one. */
  readonly status: number
  /** The code of `x-error-code`, for programs. Later versions of the service may have others. */
  readonly code: ErrorCode | (string & {}) | null
  /** The `x-request-id` of the response, which the log of the service has too. */
  readonly requestId: string | null
  /** The seconds to wait before another attempt; null if the service does not say. */
  readonly retryAfter: number | null
  /** Null if the response is not an error of Postroom. */
  readonly body: ErrorBody | null
  readonly response: Response | null
  /** The posts for which `createMany` has stored none. Empty for other requests. */
  readonly rejected: RejectedPost[]

  constructor(message: string, response: Response | null = null, body: ErrorBody | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.status = response?.status ?? 0
    this.code = response?.headers.get('x-error-code') ?? null
    this.requestId = response?.headers.get('x-request-id') ?? null
    this.retryAfter = readRetryAfter(response?.headers.get('retry-after') ?? '')
    this.body = body
    this.response = response
    this.rejected = (body as RejectedPosts | null)?.rejected ?? []
  }
}

/** 400. `details` lists mistakes in the shape of the request; it is empty if another reason led to the status. */
export class InvalidRequest extends PostroomError {
  readonly details: Issue[] = this.body?.details ?? []
}
/** 400: the post breaks a limit of a network, or lacks something that the network requires. */
export class LimitViolation extends InvalidRequest {}
/** 401: the API key is missing, invalid or expired. 403: it may not do this, or use an id in the request. */
export class Unauthorized extends PostroomError {}
export class Forbidden extends PostroomError {}
/** 404: the user has no such resource, or no longer: a retry of a deletion finds nothing either. */
export class NotFound extends PostroomError {}
/** 409: the state of the resource excludes the request, or the idempotency key belongs to another request. */
export class Conflict extends PostroomError {}
/** 410: events after the cursor are no longer kept. `oldest` is the cursor to begin with. */
export class CursorExpired extends PostroomError {
  readonly oldest = (this.body as { oldest?: string } | null)?.oldest
}
/** 412: the resource is not at the ETag in `ifMatch`. A retry after a lost response may find its own change. */
export class PreconditionFailed extends PostroomError {}
/** 429: too many requests. 5xx: the service, or the network that it called, failed. */
export class RateLimited extends PostroomError {}
export class ServerError extends PostroomError {}
/** There was no response. The service may have carried out the request. */
export class ConnectionError extends PostroomError {}
/** A post that still has deliveries to send. `post` is its last state. */
export class NotSettled extends Error {
  override readonly name = 'NotSettled'
  readonly post: PostDetail
  constructor(message: string, post: PostDetail) {
    super(message)
    this.post = post
  }
}

/** The seconds of `Retry-After`, which is a number or a date. */
function readRetryAfter(value: string): number | null {
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? null : Math.max(0, Math.ceil(seconds))
}
