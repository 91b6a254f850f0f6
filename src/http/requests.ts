import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { AppError, invalidRequest } from '../errors.ts'
import { browserHeaders } from './browser-headers.ts'
import { handleProtocolErrors, noteAnswered, noteBegun, unsupportedContentType } from './errors.ts'
import { EMPTY_BODY, parseJson } from './json.ts'

/** How every request is read and logged. */
export const requests = fp(async (app: FastifyInstance) => {
  handleProtocolErrors(app.server)
  const headers = browserHeaders()

  // Hooks without `async`: each promise would cost every request a turn of the event loop's microtasks.
  app.addHook('onRequest', (request, reply, done) => {
    noteBegun(request.raw)
    reply.headers(headers)
    reply.header('x-request-id', request.id)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new AppError(400, 'missing_host', 'Missing Host header')
    }
    // An operation without a body ignores what is sent as one, whatever it says it is.
    if (request.routeOptions.schema?.body === undefined) delete request.raw.headers['content-type']
    done()
  })

  // Fastify does not read a body that has neither type nor length; the schema would be told that it is null. What is no
  // JSON is read by its operation.
  app.addHook('preValidation', ({ routeOptions: { schema }, body }, _reply, done) => {
    if (schema?.body !== undefined && !schema.consumes && body === undefined) throw invalidRequest([EMPTY_BODY])
    done()
  })

  app.addHook('onResponse', (request, reply, done) => {
    noteAnswered(request.raw)
    const { method } = request
    // Without the query: some client will put its key there.
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
