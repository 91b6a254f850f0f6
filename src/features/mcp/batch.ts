import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ErrorBody } from '../../../schemas/error.ts'
import { ERROR_CODE_HEADER } from '../../base/http/errors.ts'
import { addressOf } from '../../base/http/trusted-proxies.ts'
import { toError } from './stdio.ts'

/**
 * The only version with batches: https://modelcontextprotocol.io/specification/2025-03-26/basic. Its clients send no
 * header with the version.
 */
const BATCH_VERSION = '2025-03-26'

const BATCH_MAX = 20

const INVALID_REQUEST = -32_600

/** A body with several messages. */
export class Batch {
  readonly messages: unknown[]

  constructor(messages: unknown[]) {
    this.messages = messages
  }
}

const refuse = (message: string, id: unknown = null) => ({
  status: 400,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code: INVALID_REQUEST, message } }),
})

/**
 * Responds to the messages one after the other. Each is a request of its own in this process, so that it counts towards
 * the quotas as one that is sent alone.
 */
export async function respondToBatch(app: FastifyInstance, request: FastifyRequest, { messages }: Batch) {
  const version = request.headers['mcp-protocol-version'] ?? BATCH_VERSION
  if (version !== BATCH_VERSION) {
    return refuse(`Only version ${BATCH_VERSION} has batches: send each message as a request of its own`)
  }
  if (messages.length > BATCH_MAX) return refuse(`A batch has at most ${BATCH_MAX} messages`)
  const bodies: string[] = []
  for (const message of messages) {
    const body = await respondToOne(app, request, message)
    if (body !== undefined) bodies.push(body)
  }
  return bodies.length === 0 ? { status: 202, body: undefined } : { status: 200, body: `[${bodies.join()}]` }
}

/** Returns the response as JSON; undefined to a notification. */
async function respondToOne(app: FastifyInstance, request: FastifyRequest, message: unknown) {
  const isObject = typeof message === 'object' && message !== null && !Array.isArray(message)
  const { id, method } = (isObject ? message : {}) as { id?: unknown; method?: unknown }
  if (method === 'initialize') return refuse('initialize must not be part of a batch: send it alone', id).body
  const reply = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: {
      authorization: request.headers.authorization ?? '',
      'content-type': 'application/json',
      'mcp-protocol-version': BATCH_VERSION,
    },
    // Anything but an object gets the error of a message without properties.
    payload: JSON.stringify(isObject ? message : {}),
    remoteAddress: addressOf(request) ?? '',
  })
  if (reply.payload === '') return undefined
  const body = reply.json<Partial<ErrorBody> & { jsonrpc?: unknown }>()
  if (body.jsonrpc !== undefined) return reply.payload
  const { statusCode: status } = reply
  const code = reply.headers[ERROR_CODE_HEADER]
  return toError({ id, method }, `${status} ${code}: ${body.error}`, { status, code, details: body.details })
}
