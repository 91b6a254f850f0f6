import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError, invalidRequest } from '../errors.ts'
import { browserHeaders } from './browser-headers.ts'
import { unsupportedContentType } from './errors.ts'
import { EMPTY_BODY, parseJson } from './json.ts'
import { handleProtocolErrors, noteRequestStart, noteResponseEnd } from './protocol-errors.ts'

/** Reads and logs every request, and sets the headers that every response has. */
export const requests = fp(async (app: FastifyInstance) => {
  handleProtocolErrors(app.server)
  const headers = browserHeaders()

  // The hooks are synchronous: a promise would cost every request a turn of the microtask queue.
  app.addHook('onRequest', (request, reply, done) => {
    noteRequestStart(request.raw)
    reply.headers(headers)
    reply.header('x-request-id', request.id)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new AppError(400, 'missing_host', 'Missing Host header')
    }
    // An operation without a body ignores any body, whatever its Content-Type.
    if (request.routeOptions.schema?.body === undefined) delete request.raw.headers['content-type']
    done()
  })

  // Fastify does not parse a body without type and length, and would validate it as null. Operations that consume
  // another type than JSON read their body themselves.
  app.addHook('preValidation', ({ routeOptions: { schema }, body }, _reply, done) => {
    if (schema?.body !== undefined && !schema.consumes && body === undefined) throw invalidRequest([EMPTY_BODY])
    done()
  })

  app.addHook('onResponse', (request, reply, done) => {
    noteResponseEnd(request.raw)
    const { method } = request
    // Without the query string, in which a client may have sent its key by mistake.
    const url = request.url.split('?', 1)[0]
    request.log.info(
      { reqId: request.id, method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'request',
    )
    done()
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    parseJson(body),
  )
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (request.routeOptions.schema?.body !== undefined) throw unsupportedContentType(request)
    payload.resume()
  })
})
