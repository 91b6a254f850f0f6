import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { fail, invalidRequest } from '../errors.ts'
import { awaitReading, parseInRoom } from './body-room.ts'
import { browserHeaders } from './browser-headers.ts'
import { compressRead } from './encodings.ts'
import { bodyCutOff, ERROR_CODE_HEADER, unsupportedContentType } from './errors.ts'
import { EMPTY_BODY, findTextProblem, parseBody } from './json.ts'
import { awaitSending } from './long-answers.ts'
import { allowLongBody } from './long-bodies.ts'
import { handleProtocolErrors, noteRequestStart, noteResponseEnd } from './protocol-errors.ts'
import { addressOf } from './trusted-proxies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of what the request has created; empty if nothing. */
    createdId: string
    /** The length of its JSON body; 0 without one. */
    bodyBytes: number
  }
  interface FastifyContextConfig {
    /** Monitoring calls this operation every few seconds: its line is in the log at the level `debug` only. */
    isProbe?: boolean
    /** A request without a body counts as one with an empty object. */
    hasOptionalBody?: boolean
    /** The path contains a secret: the log has the path of the route instead. */
    hidesPath?: boolean
  }
}

const JSON_TYPE = 'application/json'

/** https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2, with a port. It may be empty. */
const HOST = /^(?:\[[\da-fv.:]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

/** Throws the error of a `Host` header by https://www.rfc-editor.org/rfc/rfc9112#section-3.2. */
function checkHost({ headers: { host }, httpVersion, rawHeaders }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion === '1.1') throw fail('missing_host')
    return
  }
  // Node keeps the first of several.
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  if (count > 1 || !HOST.test(host)) throw fail('invalid_host')
}

/** https://www.rfc-editor.org/rfc/rfc7396 */
const MERGE_PATCH = 'application/merge-patch+json'

/** Reads and logs every request, and sets the headers that every response has. */
export const requests = fp(async (app: FastifyInstance) => {
  handleProtocolErrors(app.server)
  app.decorateRequest('createdId', '')
  app.decorateRequest('bodyBytes', 0)
  app.decorateRequest('leaveRoom', undefined)
  const headers = browserHeaders()

  // The hooks are synchronous: a promise would cost every request a turn of the microtask queue.
  app.addHook('onRequest', (request, reply, done) => {
    noteRequestStart(request.raw)
    reply.headers(headers)
    reply.header('x-request-id', request.id)
    checkHost(request.raw)
    // An operation without a body ignores any body, whatever its Content-Type.
    const { schema, config } = request.routeOptions
    const isIgnored = schema?.body === undefined || (config.hasOptionalBody && isEmpty(request.raw))
    if (isIgnored) delete request.raw.headers['content-type']
    done()
  })

  app.addHook('preParsing', (request, reply, payload, done) => {
    const room = awaitReading(request)
    if (!room) return done(null, payload)
    // On a slow link, a megabyte takes minutes. Its room is that of its user.
    if (request.userId) allowLongBody(request, reply)
    // The body of a client that disconnects meanwhile would never end.
    room.then(() => done(request.raw.destroyed ? bodyCutOff() : null, payload), done)
  })

  // Fastify does not parse a body without type and length, and would validate it as null. Operations that consume
  // another type than JSON read their body themselves.
  app.addHook('preValidation', (request, _reply, done) => {
    const { schema, config } = request.routeOptions
    if (config.hasOptionalBody && request.body === undefined) request.body = {}
    const isJson = schema?.body !== undefined && (schema.consumes?.includes(JSON_TYPE) ?? true)
    if (isJson && request.body === undefined) throw invalidRequest([EMPTY_BODY])
    done()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    request.leaveRoom?.()
    request.leaveRoom = undefined
    const finish = () => {
      const compressed = compressRead(request, reply, payload)
      if (compressed) compressed.then((bytes) => done(null, bytes), done)
      else done()
    }
    const room = awaitSending(request, reply, payload)
    if (room) room.then(finish, done)
    else finish()
  })

  app.addHook('onResponse', (request, reply, done) => {
    noteResponseEnd(request.raw)
    if (request.routeOptions.config.isProbe) request.log.debug(factsOf(request, reply), 'request')
    else request.log.info(factsOf(request, reply), 'request')
    done()
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    request.bodyBytes = body.length
    return parseInRoom(request, body, parseBody)
  })
  app.addContentTypeParser(MERGE_PATCH, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    const { schema } = request.routeOptions
    if (schema?.body !== undefined && !schema.consumes?.includes(MERGE_PATCH)) throw unsupportedContentType(request)
    request.bodyBytes = body.length
    return schema?.body && parseInRoom(request, body, parseBody)
  })
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (request.routeOptions.schema?.body !== undefined) throw unsupportedContentType(request)
    payload.resume()
  })
})

/** Bytes. A shorter post is checked within some milliseconds. */
const SHORT_BODY_BYTES_MAX = 10_000

/** Whether the work that a body of this length asks for may block the event loop. */
export const isLong = (bytes: number): boolean => bytes > SHORT_BODY_BYTES_MAX

/**
 * Rejects a path with a text that Postgres cannot store. Operations of the API look for such an id, and find nothing.
 */
export const requireStorablePath: onRequestHookHandler = ({ params }, _reply, done) => {
  const isStorable = Object.values(params as Record<string, string>).every((text) => !findTextProblem(text))
  done(isStorable ? undefined : fail('route_not_found'))
}

const isEmpty = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0

/**
 * Each segment is an id, or a part of a route. Secrets of this service are longer: see `newSecret` and `generateKey`.
 */
const HARMLESS_PATH = /^(?:\/[\w.~-]{0,36})*$/

/**
 * The path of a request, without the query string, in which a client may have sent its key by mistake. Anything that
 * may be a secret, or is encoded, is a `*`: a link that is opened with another method, a suffix or a typing mistake
 * matches no route.
 */
function pathForLog(url: string, route: string | undefined): string {
  if (url === route) return url
  const path = url.split('?', 1)[0]!
  if (HARMLESS_PATH.test(path)) return path
  return path.replace(/[^/]+/g, (segment) => (HARMLESS_PATH.test(`/${segment}`) ? segment : '*'))
}

/** The log line of a request. Properties that are undefined are left out. */
function factsOf(request: FastifyRequest, reply: FastifyReply): object {
  const { id, method, url, createdId, routeOptions } = request
  // Undefined outside of the scope that needs an API key, and empty if the key was refused.
  const { userId, keyId } = request
  const { statusCode: status } = reply
  return {
    reqId: id,
    method,
    url: routeOptions.config.hidesPath ? routeOptions.url : pathForLog(url, routeOptions.url),
    status,
    errorCode: status >= 400 ? reply.getHeader(ERROR_CODE_HEADER) : undefined,
    ms: Math.round(reply.elapsedTime),
    ip: addressOf(request),
    userId: userId || undefined,
    keyId: keyId || undefined,
    createdId: createdId || undefined,
  }
}
