import type { TProperties, TSchema } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ErrorBody } from '../../../schemas/error.ts'
import type { ErrorCode } from '../../../schemas/errors.ts'
import type { ToolFacts } from '../../../schemas/operations/define-operation.ts'
import type { Scope } from '../../../schemas/scopes.ts'
import type { PostViolation } from '../../../schemas/validate-post.ts'
import { type AppError, fail, invalidRequest } from '../../base/errors.ts'
import { ERROR_CODE_HEADER } from '../../base/http/errors.ts'
import { addressOf } from '../../base/http/trusted-proxies.ts'
import { isPathSegment } from '../../clients/sdk/path.ts'
import { callThrough } from '../auth/resource.ts'

export type Arguments = Record<string, unknown>

/** The parts of an operation in schemas/operations that tools need. */
export interface ToolOperation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  scope: Scope | null
  conditionalScope?: { scope: Scope }
  takesAccountLists?: true
  schema: {
    operationId: string
    consumes?: readonly string[]
    params?: TSchema
    querystring?: TSchema
    body?: TSchema
    response: object
  }
  tool: ToolFacts
}

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: each operation has another body, and its own tests
  body: any
  headers: Record<string, unknown>
}

/** Calls an operation. Throws a ToolError for an error response. */
export type Api = (operation: ToolOperation, args: Arguments, headers?: Record<string, string>) => Promise<Answer>

/** An error as an agent reads it: the body of an error response, and what its head says. */
export interface ToolProblem extends ErrorBody {
  status: number
  code: ErrorCode
  /** The limits of networks that the post breaks. */
  violations?: PostViolation[]
}

export class ToolError extends Error {
  readonly problem: ToolProblem

  constructor(problem: ToolProblem) {
    super(problem.error)
    this.problem = problem
  }
}

export const toToolError = ({ statusCode, code, message, details }: AppError): ToolError =>
  new ToolError({ status: statusCode, code, error: message, ...(details && { details }) })

export const propertiesOf = (schema: TSchema | undefined): TProperties => schema?.properties ?? {}

const PREFIX = '/api/v1'
/** An answer stands twice in the result of a tool, and in several copies while that is made. */
const ANSWER_MAX_BYTES = 4 * 2 ** 20
const TOO_LARGE = `The answer has more than ${ANSWER_MAX_BYTES / 2 ** 20} MB. Ask for less, with a smaller limit or a filter`
/** As much as Node reads of a request before its body. A tool may wait with the arguments of its path and query. */
const ADDRESS_MAX_BYTES = 2 ** 14
const TOO_LONG = `The arguments have more than ${ADDRESS_MAX_BYTES / 2 ** 10} kB`
const NOT_AN_ID = 'Must be an id: not empty, and neither . nor ..'

/**
 * Returns the API as the client of `request` has it: operations are called in this process with the same key, so that
 * authentication, scopes, rate limits, validation and the log are those of HTTP.
 */
export function apiOf(app: FastifyInstance, request: FastifyRequest): Api {
  const { authorization = '' } = request.headers
  // For the log.
  const remoteAddress = addressOf(request) ?? ''
  return async ({ method, url, schema }, args, headers) => {
    const body = schema.body && (await encode(schema, omit(args, [schema.params, schema.querystring])))
    const address = `${PREFIX}${fillPath(url, args)}?${toQuery(schema.querystring, args)}`
    if (address.length > ADDRESS_MAX_BYTES) throw invalidRequest([{ code: 'custom', path: [], message: TOO_LONG }])
    // A promise, because `inject` begins at the first `then`.
    const call = async () =>
      app.inject({
        method,
        url: address,
        headers: { authorization, ...(body && { 'content-type': body.type }), ...headers },
        ...(body && { payload: body.bytes }),
        remoteAddress,
      })
    const reply = await callThrough('/mcp', call).catch(rethrowClosing)
    // Only what reads may be refused afterwards.
    if (method === 'GET' && reply.rawPayload.length > ANSWER_MAX_BYTES) {
      const path = 'limit' in propertiesOf(schema.querystring) ? ['limit'] : []
      throw toToolError(invalidRequest([{ code: 'custom', path, message: TOO_LARGE }]))
    }
    const answer: Answer = { body: reply.json(), headers: reply.headers }
    if (reply.statusCode < 400) return answer
    const code = reply.headers[ERROR_CODE_HEADER] as ErrorCode
    throw new ToolError({ status: reply.statusCode, code, ...(answer.body as ErrorBody) })
  }
}

/** A body in the type that the operation consumes. */
async function encode({ consumes = ['application/json'] }: ToolOperation['schema'], args: Arguments) {
  if (!consumes.includes('multipart/form-data')) return { type: consumes[0]!, bytes: JSON.stringify(args) }
  const form = new FormData()
  for (const [name, value] of Object.entries(args)) {
    if (value instanceof File) form.append(name, value)
    else form.append(name, String(value))
  }
  const encoded = new Response(form)
  return { type: encoded.headers.get('content-type')!, bytes: Buffer.from(await encoded.arrayBuffer()) }
}

/** Throws 400 for an argument that would lead to another operation. */
const fillPath = (url: string, args: Arguments) =>
  url.replace(/:(\w+)/g, (_, name: string) => {
    const text = String(args[name])
    if (!isPathSegment(text)) throw invalidRequest([{ code: 'custom', path: [name], message: NOT_AN_ID }])
    return encodeURIComponent(text)
  })

function toQuery(schema: TSchema | undefined, args: Arguments): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of Object.keys(propertiesOf(schema)).filter((name) => args[name] !== undefined)) {
    for (const value of [args[name]].flat()) query.append(name, String(value))
  }
  return query
}

const omit = (args: Arguments, schemas: (TSchema | undefined)[]): Arguments =>
  Object.fromEntries(
    Object.entries(args).filter(([name]) => !schemas.some((schema) => Object.hasOwn(propertiesOf(schema), name))),
  )

/** A server that stops finishes its requests, but calls no more operations in this process. */
function rethrowClosing(error: { code?: string }): never {
  if (error.code !== 'FST_ERR_REOPENED_CLOSE_SERVER') throw error
  throw toToolError(fail('stopping.tool'))
}
