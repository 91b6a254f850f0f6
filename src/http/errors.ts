import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { type ErrorBody, INTERNAL, type Issue, NO_DATABASE, TOO_LARGE } from '../../schemas/error.ts'
import type { ErrorCode } from '../../schemas/error-codes.ts'
import { AppError, invalidRequest } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller reads when the operation fails unexpectedly. */
    failure?: string
  }
}

const ERROR_CODE_HEADER = 'x-error-code'

interface Outcome {
  statusCode: number
  code: ErrorCode
  message: string
  details?: Issue[] | undefined
}

/** What the caller is told about an error that was thrown while a request was served. */
function toOutcome(error: unknown, request: FastifyRequest): Outcome | undefined {
  if (error instanceof AppError) return error
  const { code, statusCode } = error as FastifyError
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError(413, 'body_too_large', TOO_LARGE)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedContentType(request)
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE': // said of the method QUERY, which no route has
      return notFound()
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidRequest([UNREADABLE])
  }
  // Refused by Fastify or a plugin, such as a range that a file does not have. Before the database: a client that hangs
  // up in the middle of its body is an ECONNRESET, too, with the status 400.
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return { statusCode, code: 'bad_request', message: STATUS_CODES[statusCode] ?? 'Bad Request' }
  }
  return isDatabaseUnavailable(error) ? new AppError(503, 'database_unavailable', NO_DATABASE) : undefined
}

const UNREADABLE = { code: 'invalid_json' as const, path: [], message: 'Request body was cut off' }

/** A 400 that names the type of body that the operation takes. */
export function unsupportedContentType({ routeOptions }: FastifyRequest): AppError {
  const expected = routeOptions.schema?.consumes?.[0] ?? 'application/json'
  return invalidRequest([{ code: 'invalid_content_type', path: [], message: `Content-Type must be ${expected}` }])
}

const notFound = () => new AppError(404, 'route_not_found', 'Not found')

/** Answers for everything that is thrown in a request; what the caller isn't told goes to the log. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toOutcome(error, request)
  if (!known || known.statusCode >= 500) request.log.error({ reqId: request.id, err: error }, 'request failed')
  if (known?.statusCode === 401) reply.header('www-authenticate', 'Bearer')
  // Fastify would close on a body that it did not read: the reset reaches a client that still sends before the answer
  // does. Node throws away what comes, until requestTimeout.
  reply.removeHeader('connection')
  reply.header(ERROR_CODE_HEADER, known?.code ?? 'internal_error')
  const body: ErrorBody = { error: known?.message ?? request.routeOptions.config.failure ?? INTERNAL }
  if (known?.details) body.details = known.details
  return reply.code(known?.statusCode ?? 500).send(body)
}

/** Makes each answer of `app` that is not a success one of ours. */
export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => sendError(notFound(), request, reply))
}

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

/** What a connection reads that did not send a whole HTTP request, by the error of Node's parser. */
const CLIENT_ERRORS: Record<string, [status: string, code: ErrorCode, error: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'Request headers are larger than 16 KiB',
  ],
  [TIMED_OUT]: ['408 Request Timeout', 'request_timeout', 'Request was not complete in time'],
}
const MALFORMED: (typeof CLIENT_ERRORS)[string] = ['400 Bad Request', 'malformed_request', 'Malformed HTTP request']

/** Connections whose request may take longer than others: see `allowLongBody`. */
export const patient = new WeakSet<Duplex>()

/** Connections with a request that was answered before all of it had come. A second answer would be that to another. */
const answered = new WeakSet<Duplex>()

/** Every request that Node hands on is told of here when it begins, and when its answer has gone. */
export const noteBegun = ({ socket }: IncomingMessage) => answered.delete(socket)
export function noteAnswered({ complete, socket }: IncomingMessage): void {
  if (!complete) answered.add(socket)
}

/** Answers, where it still can, on a connection that Node gave up on, and closes it. */
export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === TIMED_OUT && patient.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable || answered.has(socket)) {
    socket.destroy()
    return
  }
  endWith(socket, ...(CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED))
}

/** Tells a client that is too slow, and hangs up. */
export const sendTimeout = (socket: Socket) => endWith(socket, ...CLIENT_ERRORS[TIMED_OUT]!)

/** The last words on a connection that no HTTP parser looks after any more. */
function endWith(socket: Duplex, status: string, code: ErrorCode, error: string): void {
  // Nobody else listens: a client that resets the connection now would end the process.
  socket.on('error', () => {})
  const body = JSON.stringify({ error } satisfies ErrorBody)
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\n${ERROR_CODE_HEADER}: ${code}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

/** Node answers these two by itself, with an empty body or by hanging up. */
export function handleProtocolErrors(server: Server): void {
  server.on('checkExpectation', (request, response) => {
    response.once('finish', () => noteAnswered(request))
    const body = JSON.stringify({ error: 'Expectation failed' } satisfies ErrorBody)
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      [ERROR_CODE_HEADER]: 'expectation_failed' satisfies ErrorCode,
    })
    response.end(body)
  })
  server.on('connect', (_request, socket) => {
    endWith(socket, '404 Not Found', 'route_not_found', 'Not found')
  })
}
