import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorBody } from '../../../schemas/error.ts'
import { type CodedError, errorOf } from '../../../schemas/errors.ts'
import { ERROR_CODE_HEADER } from './errors.ts'

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

/** By the code of the error of Node's parser. Every other code means a malformed request. */
const PARSER_ERRORS: Record<string, CodedError> = {
  HPE_HEADER_OVERFLOW: errorOf('headers_too_large'),
  [TIMED_OUT]: errorOf('request_timeout'),
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
  endWithError(socket, PARSER_ERRORS[error.code ?? ''] ?? errorOf('malformed_request'))
}

/** Sends a 408 and closes the connection. */
export const endWithTimeout = (socket: Socket) => endWithError(socket, errorOf('request_timeout'))

/** Writes a response by hand, because no HTTP parser is attached to the connection any more, and closes it. */
function endWithError(socket: Duplex, { statusCode, code, message }: CodedError): void {
  // A reset by the client would end a process that has no listener.
  socket.on('error', () => {})
  const body = JSON.stringify({ error: message } satisfies ErrorBody)
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
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
    const { statusCode, code, message } = errorOf('expectation_failed')
    const body = JSON.stringify({ error: message } satisfies ErrorBody)
    response.writeHead(statusCode, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      [ERROR_CODE_HEADER]: code,
    })
    response.end(body)
  })
  server.on('connect', (_request, socket) => endWithError(socket, errorOf('route_not_found')))
}
