import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { Postroom, PostroomError, responseOf } from '../../src/clients/sdk/index.ts'
import { inject, type Reply, type Transport, useTransport } from './app.ts'
import { operationsOf, readDocument } from './document.ts'
import { recordSecretsOf } from './log-record.ts'
import { type Parts, SDK_CALLS } from './sdk-calls.ts'

/** The header that each option of the SDK sends. */
const OPTIONS: Record<string, string> = {
  'idempotency-key': 'idempotencyKey',
  'if-match': 'ifMatch',
}

/** Paths without ids first: `/posts/counts` is not a post. */
const operations = operationsOf(readDocument())
  .map(({ operationId, method, path }) => ({
    operationId,
    method,
    ids: path.split('{').length - 1,
    form: new RegExp(`^${path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
  }))
  .toSorted((a, b) => a.ids - b.ids)

/** The tests of the contract's endpoints. */
export const CONTRACT_TESTS = [
  'posts/create',
  'posts/create-errors',
  'posts/create-media',
  'posts/list',
  'posts/delete',
  'accounts/list',
]

/** The operations that they call. */
export const CONTRACT_OPERATIONS = ['createPost', 'listPosts', 'deletePost', 'listAccounts']

/** The number of requests that were sent through a client, by operation. */
export const sent: Record<string, number> = {}

interface ClientRequest {
  operationId: string
  ids: string[]
  parts: Parts
  key: string
  baseUrl: string
}

/** Sends a request by a client, without retries. Returns undefined if the client cannot make it. */
type Send = (request: ClientRequest) => Promise<Reply | undefined>

/**
 * For the tests of this file, `call` sends requests through a client to the application, which listens on a port.
 * Requests that the client cannot make, such as a body that is not JSON, are injected.
 */
export function sendThroughClient(t: Test, send: Send): void {
  const through: Transport = async (app, key, method, path, body, headers = {}) => {
    const request = key === undefined ? undefined : toRequest(method, path, body, headers)
    recordSecretsOf(request?.parts.body)
    const reply = request && (await send({ ...request, key: key!, baseUrl: await addressOf(app) }))
    if (!reply) return inject(app, key, method, path, body, headers)
    sent[request.operationId] = (sent[request.operationId] ?? 0) + 1
    return reply
  }
  useTransport(through)
  t.teardown(() => useTransport(inject))
}

/** Sends by the TypeScript SDK. */
export const throughSdk: Send = async ({ operationId, ids, parts, key, baseUrl }) => {
  try {
    const result = await SDK_CALLS[operationId]!(new Postroom({ key, baseUrl, maxRetries: 0 }), parts, ...ids)
    const { status, headers } = responseOf(result)!
    return { status, body: result, headers: Object.fromEntries(headers) }
  } catch (error) {
    if (!(error instanceof PostroomError) || !error.response) throw error
    return toReply(error)
  }
}

const toReply = ({ status, body, response }: PostroomError): Reply => ({
  status,
  body,
  headers: Object.fromEntries(response!.headers),
})

function toRequest(method: string, path: string, body: unknown, headers: Record<string, string>) {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const operation = operations.find((each) => each.method === method && each.form.test(pathname))
  const names = Object.keys(headers).map((name) => OPTIONS[name.toLowerCase()])
  if (!operation || names.includes(undefined) || /^getMedia(?:Content|Preview)$/.test(operation.operationId))
    return undefined
  const ids = operation.form.exec(pathname)!.slice(1).map(decodeURIComponent)
  const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, unlessOne(searchParams.getAll(name))]))
  const options = Object.fromEntries(Object.values(headers).map((value, index) => [names[index]!, value]))
  try {
    const json = typeof body === 'string' ? JSON.parse(body) : body
    return { operationId: operation.operationId, ids, parts: { body: json, query, options } }
  } catch {
    return undefined
  }
}

const unlessOne = (values: string[]) => (values.length === 1 ? values[0] : values)

const addresses = new WeakMap<FastifyInstance, Promise<string>>()

function addressOf(app: FastifyInstance): Promise<string> {
  const known = addresses.get(app) ?? app.listen({ host: '127.0.0.1', port: 0 })
  addresses.set(app, known)
  return known
}
