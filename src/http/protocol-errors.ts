import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorBody } from '../../schemas/error.ts'
import type { ErrorCode } from '../../schemas/error-codes.ts'
import { ERROR_CODE_HEADER } from './errors.ts'

type RawError = [status: string, code: ErrorCode, message: string]

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'
const REQUEST_TIMEOUT: RawError = ['408 Request Timeout', 'request_timeout', 'Request was not complete in time']
const MALFORMED: RawError = ['400 Bad Request', 'malformed_request', 'Malformed HTTP request']
const NOT_FOUND: RawError = ['404 Not Found', 'route_not_found', 'Not found']

/** By the code of the error of Node's parser. Every other code means a malformed request. */
const PARSER_ERRORS: Record<string, RawError> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'Request headers are larger than 16 KiB',
  ],
  [TIMED_OUT]: REQUEST_TIMEOUT,
}

/** Connections whose body may take longer than requestTimeout: see `allowLongBody`. */
export const slowBodySockets = new WeakSet<Duplex>()

/**
 * Connections whose request got its response before its body was complete. A client would match a second response to
 * its next request.
 */
const respondedEarly = new WeakSet<Duplex>()

export const noteRequestStart = ({ socket }: IncomingMessage) => respondedEarly.delete(socket)
export function noteResponseEnd({ complete, socket }: IncomingMessage): void {
  if (!complete) respondedEarly.add(socket)
}

/** Handles the errors of Node's parser: sends a response if the client can still use one, and closes the connection. */
export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === TIMED_OUT && slowBodySockets.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable || respondedEarly.has(socket)) {
    socket.destroy()
    return
  }
  endWithError(socket, PARSER_ERRORS[error.code ?? ''] ?? MALFORMED)
}

/** Sends a 408 and closes the connection. */
export const endWithTimeout = (socket: Socket) => endWithError(socket, REQUEST_TIMEOUT)

/** Writes a response by hand, because no HTTP parser is attached to the connection any more, and closes it. */
function endWithError(socket: Duplex, [status, code, message]: RawError): void {
  // A reset by the client would end a process that has no listener.
  socket.on('error', () => {})
  const body = JSON.stringify({ error: message } satisfies ErrorBody)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${ERROR_CODE_HEADER}: ${code}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/**
 * Handles unknown expectations, to which Node responds without a body, and CONNECT, for which it closes the connection.
 */
export function handleProtocolErrors(server: Server): void {
  server.on('checkExpectation', (request, response) => {
    response.once('finish', () => noteResponseEnd(request))
    const body = JSON.stringify({ error: 'Expectation failed' } satisfies ErrorBody)
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      [ERROR_CODE_HEADER]: 'expectation_failed' satisfies ErrorCode,
    })
    response.end(body)
  })
  server.on('connect', (_request, socket) => endWithError(socket, NOT_FOUND))
}
