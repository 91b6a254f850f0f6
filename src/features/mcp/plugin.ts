import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { errorOf } from '../../../schemas/errors.ts'
import { fail, MethodNotAllowed } from '../../base/errors.ts'
import { wellKnownAddress } from '../../base/http/base-path.ts'
import { parseInRoom } from '../../base/http/body-room.ts'
import { ERROR_CODE_HEADER } from '../../base/http/errors.ts'
import { readJson } from '../../base/http/json.ts'
import { Batch, refuse, respondToBatch } from './batch.ts'
import type { Message } from './protocol.ts'

interface McpOptions {
  /** The address of this service. */
  publicUrl(): string
  corsOrigins: string[]
}

const JSON_TYPE = 'application/json'

/**
 * The maximum of everything in a message but the arguments of a tool. It stays in memory while the tool waits. The tool
 * limits its arguments.
 */
const ENVELOPE_MAX_BYTES = 2 ** 13

/** It is no operation: the OpenAPI document mentions it in its description. */
const ROUTE = { url: '/mcp', config: { scope: null } } as const

/** The Model Context Protocol over HTTP, without sessions. Requires the `auth` plugin around it. */
export async function mcp(app: FastifyInstance, { publicUrl, corsOrigins }: McpOptions): Promise<void> {
  let loaded: ReturnType<typeof load> | undefined

  // A page that reaches this service through a foreign name, by DNS rebinding, has a foreign origin.
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers
    const isAllowed = origin === undefined || corsOrigins.includes(origin) || origin === new URL(publicUrl()).origin
    done(isAllowed ? undefined : fail('origin_not_allowed'))
  })

  // Clients find the authorization server by it: https://www.rfc-editor.org/rfc/rfc9728#section-5.1
  app.addHook('onSend', async (_request, reply) => {
    const challenge = reply.getHeader('www-authenticate')
    if (reply.statusCode !== 401 || typeof challenge !== 'string') return
    const separator = challenge.includes(' ') ? ',' : ''
    const metadata = `resource_metadata="${wellKnownAddress(publicUrl(), 'oauth-protected-resource', '/mcp')}"`
    reply.header('www-authenticate', `${challenge}${separator} ${metadata}`)
  })

  // The arguments of a tool are checked when it is called, so that the agent reads what is wrong with them.
  app.removeContentTypeParser(JSON_TYPE)
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    parseInRoom(request, body, readMessages),
  )

  async function respondToMessage(request: FastifyRequest, message: Message) {
    const { name, arguments: args } = (message.params ?? {}) as { name?: unknown; arguments?: unknown }
    // No tool has a long name.
    if (lengthOf(message) - lengthOf(args) - lengthOf(name) > ENVELOPE_MAX_BYTES) {
      const limit = `${ENVELOPE_MAX_BYTES / 2 ** 10} kB`
      return refuse(`A message has at most ${limit} beside the arguments of a tool`, message.id)
    }
    loaded ??= load(app)
    const { respond, toolboxOf } = await loaded
    const toolbox = toolboxOf(request, args)
    return respond(message, protocolHeaders(request), toolbox)
  }

  app.route({
    ...ROUTE,
    method: 'POST',
    schema: { hide: true, body: Type.Object({}) },
    handler: async (request, reply) => {
      const { status, body } = await (request.body instanceof Batch
        ? respondToBatch(app, request, request.body)
        : respondToMessage(request, request.body as Message))
      reply.code(status)
      if (status >= 400) reply.header(ERROR_CODE_HEADER, 'invalid_request')
      return body === undefined ? reply.send() : reply.type('application/json; charset=utf-8').send(body)
    },
  })

  // GET and DELETE belong to sessions, which only earlier versions of the protocol have.
  app.route({
    ...ROUTE,
    method: ['GET', 'DELETE'],
    schema: { hide: true },
    config: { ...ROUTE.config, refusesMethod: true },
    handler: async () => {
      throw new MethodNotAllowed(['POST'], errorOf('method_not_allowed.mcp'))
    },
  })
}

const lengthOf = (value: unknown) => JSON.stringify(value)?.length ?? 0

/** An empty list is no batch: https://www.jsonrpc.org/specification#batch */
function readMessages(body: Buffer): unknown {
  const value = readJson(body)
  return Array.isArray(value) && value.length > 0 ? new Batch(value) : value
}

/** On demand: the SDK and the tools take about 20 MB, which a service without agents does not pay. */
async function load(app: FastifyInstance) {
  const [{ respond }, { createToolboxes }] = await Promise.all([import('./protocol.ts'), import('./toolbox.ts')])
  return { respond, toolboxOf: createToolboxes(app) }
}

/** The headers in which the protocol repeats parts of the message. */
const protocolHeaders = ({ headers }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith('mcp-') ? [[name, String(value)]] : [])),
  )
