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

/** Bytes. All messages of a batch stay in memory until the last one is carried out, which may wait for minutes. */
const BATCH_MAX_BYTES = 2 ** 16

/** After as many bytes of responses, no other message of the batch is carried out. */
const RESPONSES_MAX_BYTES = 2 ** 23

const INVALID_REQUEST = -32_600

/** A body with several messages. */
export class Batch {
  readonly messages: unknown[]

  constructor(messages: unknown[]) {
    this.messages = messages
  }
}

/** An error of JSON-RPC. */
export const refuse = (message: string, id: unknown = null) => ({
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
  if (JSON.stringify(messages).length > BATCH_MAX_BYTES) {
    return refuse(`A batch has at most ${BATCH_MAX_BYTES / 2 ** 10} kB: send long messages as requests of their own`)
  }
  const bodies: string[] = []
  let bytes = 0
  for (const message of messages) {
    const body = bytes > RESPONSES_MAX_BYTES ? refuseLate(message) : await respondToOne(app, request, message)
    if (body === undefined) continue
    bodies.push(body)
    bytes += body.length
  }
  return bodies.length === 0 ? { status: 202, body: undefined } : { status: 200, body: `[${bodies.join()}]` }
}

const isObject = (message: unknown): message is { id?: unknown; method?: unknown } =>
  typeof message === 'object' && message !== null && !Array.isArray(message)

/** The response to a message that is not carried out; undefined to a notification. */
function refuseLate(message: unknown) {
  const id = isObject(message) ? message.id : null
  if (id === undefined) return undefined
  return refuse('Not carried out: the responses of this batch are too long. Send it in another one', id).body
}

/** Returns the response as JSON; undefined to a notification. */
async function respondToOne(app: FastifyInstance, request: FastifyRequest, message: unknown) {
  const { id, method } = isObject(message) ? message : {}
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
    payload: JSON.stringify(isObject(message) ? message : {}),
    remoteAddress: addressOf(request) ?? '',
  })
  if (reply.payload === '') return undefined
  const body = reply.json<Partial<ErrorBody> & { jsonrpc?: unknown }>()
  if (body.jsonrpc !== undefined) return reply.payload
  const { statusCode: status } = reply
  const code = reply.headers[ERROR_CODE_HEADER]
  return toError({ id, method }, `${status} ${code}: ${body.error}`, { status, code, details: body.details })
}
