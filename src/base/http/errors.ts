import { STATUS_CODES } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseFull, isDatabaseUnavailable } from '../../../db/unavailable.ts'
import type { ErrorBody, Issue } from '../../../schemas/error.ts'
import { ERRORS, type ErrorCode, errorOf } from '../../../schemas/errors.ts'
import {
  AppError,
  CursorExpired,
  fail,
  invalidRequest,
  MethodNotAllowed,
  MisplacedKey,
  MissingScope,
  PathNotFound,
  PreconditionFailed,
  RateLimited,
} from '../errors.ts'
import { StorageError } from '../storage/storage.ts'
import { logFailure } from './log-failure.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The message of an unexpected failure of this operation, in place of the general one. */
    failure?: string
  }
}

export const ERROR_CODE_HEADER = 'x-error-code'
const ERROR_HINT_HEADER = 'x-error-hint'

export interface PublicError {
  statusCode: number
  code: ErrorCode
  message: string
  details?: Issue[] | undefined
}

/** The part of an error that the client may read; undefined for an unexpected one. */
export function toPublicError(error: unknown, request: FastifyRequest): PublicError | undefined {
  if (error instanceof AppError) return error
  if (error instanceof StorageError) return new AppError(storageError(error))
  const { code, statusCode } = error as FastifyError
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return fail('body_too_large', request.routeOptions.bodyLimit)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedContentType(request)
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fail('route_not_found')
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE': // Thrown for the method QUERY, which no route has.
      return noRoute(request)
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return bodyCutOff()
  }
  // An error of Fastify or a plugin. Checked before the database: a client that disconnects while it sends its body
  // causes an ECONNRESET as well, with the status 400.
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return { statusCode, code: 'bad_request', message: STATUS_CODES[statusCode] ?? 'Bad Request' }
  }
  if (isDatabaseFull(error)) return fail('database_full')
  return isDatabaseUnavailable(error) ? fail('database_unavailable') : undefined
}

/** The error of a storage that cannot be used. */
export const storageError = (error: unknown) =>
  errorOf(error instanceof StorageError && error.isFull ? 'storage_full' : 'storage_unavailable')

export const bodyCutOff = () =>
  invalidRequest([{ code: 'invalid_json', path: [], message: 'Request body was cut off' }])

/** A 400 that names the content type of the operation. */
export function unsupportedContentType({ routeOptions }: FastifyRequest): AppError {
  const expected = routeOptions.schema?.consumes?.[0] ?? 'application/json'
  return invalidRequest([{ code: 'invalid_content_type', path: [], message: `Content-Type must be ${expected}` }])
}

/** The error for a request that no route matches: 405 if its path has other methods. */
function noRoute({ server: { paths }, url }: FastifyRequest): AppError {
  const path = url.split('?', 1)[0]!
  const methods = paths.methodsOf(path)
  if (methods.length > 0) return new MethodNotAllowed(methods)
  const nearest = paths.findNearest(path)
  return new PathNotFound(
    `No operation has this path: ${nearest ? `the nearest is ${nearest}` : '/openapi.json lists them'}`,
  )
}

/** The process reports these when they begin, instead of once a request. */
const REPORTED_ONCE: ErrorCode[] = ['schema_outdated', 'auth_not_initialized']

/** A cause of a 503 mostly ends within seconds, and clients repeat a request at growing intervals. */
const UNAVAILABLE_SECONDS = 1

/** Adds `Retry-After` to a 429 and to each 503. */
export function addRetryAfter(reply: FastifyReply, error: unknown, status: number): void {
  const seconds = error instanceof RateLimited ? error.retryAfterSeconds : UNAVAILABLE_SECONDS
  if (status === 429 || status === 503) reply.header('retry-after', String(seconds))
}

/** Sends the response for an error, and logs what the client may not read. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toPublicError(error, request)
  // A problem that a probe finds is logged when it begins: src/run/health/problems.ts.
  const { isProbe } = request.routeOptions.config
  // A server that the user has named is no fault of this one.
  if (known?.statusCode === 502) request.log.info({ reqId: request.id, reason: known.message }, 'another server failed')
  else if (!known || (known.statusCode >= 500 && !REPORTED_ONCE.includes(known.code) && !isProbe))
    logFailure(request, error, known?.statusCode === 503 ? known.code : undefined)
  if (known?.statusCode === 401) {
    const mend = known instanceof MisplacedKey && ` error="invalid_request", error_description="${known.mend}"`
    reply.header('www-authenticate', `Bearer${mend || ''}`)
  }
  // https://www.rfc-editor.org/rfc/rfc6750#section-3.1
  if (known instanceof MissingScope) {
    reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${known.scope}"`)
  }
  if (known instanceof MethodNotAllowed) reply.header('allow', known.methods.join(', '))
  if (known instanceof PathNotFound) reply.header(ERROR_HINT_HEADER, known.hint)
  addRetryAfter(reply, error, known?.statusCode ?? 500)
  if (error instanceof PreconditionFailed) reply.header('etag', error.etag)
  // Fastify sets `connection: close` when it has not read the body. A client that is still sending would receive the
  // reset before the response. Without the header, Node discards the rest of the body until requestTimeout.
  reply.removeHeader('connection')
  const body: ErrorBody = {
    error: known?.message ?? request.routeOptions.config.failure ?? ERRORS.internal_error.message,
  }
  if (known?.details) body.details = known.details
  if (known instanceof CursorExpired) Object.assign(body, { oldest: known.oldest })
  return sendErrorBody(reply, known ?? { statusCode: 500, code: 'internal_error' }, body)
}

/** https://www.rfc-editor.org/rfc/rfc9457 */
const PROBLEM = 'application/problem+json'

/** In any case of letters, and not with `q=0`: https://www.rfc-editor.org/rfc/rfc9110#section-12.4.2. */
const ACCEPTS_PROBLEM = /(?:^|,)\s*application\/problem\+json\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i

/**
 * Sends the body of an error. A client that accepts problems of RFC 9457 gets one, which has the members of the body as
 * well: clients that accept both forms may read either.
 */
export function sendErrorBody(
  reply: FastifyReply,
  { statusCode, code }: Pick<PublicError, 'statusCode' | 'code'>,
  body: ErrorBody,
): FastifyReply {
  const { headers, server } = reply.request
  reply.code(statusCode).header(ERROR_CODE_HEADER, code)
  if (!ACCEPTS_PROBLEM.test(headers.accept ?? '')) return reply.send(body)
  const problem = {
    type: `${server.paths.base}/docs/error-codes.md#${code}`,
    title: STATUS_CODES[statusCode],
    status: statusCode,
    detail: body.error,
    code,
    ...body,
  }
  return reply.type(PROBLEM).serializer(JSON.stringify).send(problem)
}

/** Gives every error response of `app` the documented shape. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => sendError(noRoute(request), request, reply))
}
