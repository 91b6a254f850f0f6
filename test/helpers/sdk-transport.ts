import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { Postroom, PostroomError, responseOf } from '../../src/sdk/index.ts'
import { inject, type Reply, type Transport, useTransport } from './app.ts'
import { operationsOf, readDocument } from './document.ts'
import { recordSecretsOf } from './log-record.ts'
import { SDK_CALLS } from './sdk-calls.ts'

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

/** The number of requests that were sent through the SDK, by operation. */
export const sent: Record<string, number> = {}

/**
 * For the tests of this file, `call` sends requests through the SDK to the application, which listens on a port.
 * Requests that the SDK cannot make, such as a body that is not JSON, are injected.
 */
export function sendThroughSdk(t: Test): void {
  useTransport(throughSdk)
  t.teardown(() => useTransport(inject))
}

const throughSdk: Transport = async (app, key, method, path, body, headers = {}) => {
  const request = key === undefined ? undefined : toRequest(method, path, body, headers)
  if (!request) return inject(app, key, method, path, body, headers)
  const { operationId, ids, parts } = request
  recordSecretsOf(parts.body)
  const client = new Postroom({ key: key!, baseUrl: await addressOf(app), maxRetries: 0 })
  sent[operationId] = (sent[operationId] ?? 0) + 1
  try {
    const result = await SDK_CALLS[operationId]!(client, parts, ...ids)
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
