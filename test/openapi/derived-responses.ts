import type { FastifyInstance } from 'fastify'
import { json, type Operation } from '../helpers/document.ts'
import { check, operations, type Requests, type Scene, UNKNOWN_ID } from './scene.ts'

interface Injected {
  url: string
  headers: Record<string, string>
  payload?: string
}

/** The error for an id that does not exist, by the segment before it. */
const NOT_FOUND: Record<string, string> = {
  posts: 'post_not_found',
  deliveries: 'delivery_not_found',
  accounts: 'account_not_found',
  platforms: 'platform_not_found',
  media: 'media_not_found',
  connections: 'connection_not_found',
  events: 'event_not_found',
  keys: 'api_key_not_found',
  webhooks: 'webhook_not_found',
  users: 'user_not_found',
  organizations: 'organization_not_found',
}

const withQuery = (query: string) => (request: Injected) => ({
  ...request,
  url: `${request.url}${request.url.includes('?') ? '&' : '?'}${query}`,
})

const withHeader = (name: string, value: string) => (request: Injected) => ({
  ...request,
  headers: { ...request.headers, [name]: value },
})

const withLargeBody = (request: Injected) => ({
  ...withHeader('content-type', 'application/json')(request),
  payload: JSON.stringify({ name: 'a'.repeat(2 ** 20) }),
})

/** Replaces the parameter of the path with this index. */
const withUnknown = (path: string, index: number) => {
  const segments = path.split('/')
  const places = segments.flatMap((segment, place) => (segment.startsWith('{') ? [place] : []))
  return (request: Injected) => {
    const { pathname, search } = new URL(request.url, 'http://localhost')
    return { ...request, url: `${pathname.split('/').with(places[index]!, UNKNOWN_ID).join('/')}${search}` }
  }
}

/** The `Idempotency-Key` of a request that has succeeded. */
const USED_KEY = 'used'

type Mistake = [status: number, example: string, change: (request: Injected) => Injected]

/** The mistakes that an operation's path, query, headers and body allow, each with its error. */
function listMistakes({ path, requestBody }: Operation): Mistake[] {
  const collections = [...path.matchAll(/(\w+)\/\{/g)].map(([, collection]) => collection!)
  return [
    ...collections.map(
      (collection, index): Mistake => [404, NOT_FOUND[collection] ?? collection, withUnknown(path, index)],
    ),
    [400, 'unknownParameter', withQuery('verbose=1')],
    [400, 'limitTooBig', withQuery('limit=101')],
    [400, 'cursorAndOffset', withQuery(`offset=1&cursor=${UNKNOWN_ID}`)],
    [400, 'badIfMatch', withHeader('if-match', 'other')],
    [409, 'idempotency_key_reused', withHeader('idempotency-key', USED_KEY)],
    ...(requestBody?.content['application/json'] ? [[413, 'body_too_large', withLargeBody] as Mistake] : []),
  ]
}

/**
 * Checks the errors that follow from the definition of an operation, in every operation whose document lists them, and
 * the response of every GET.
 */
export async function checkDerived({ app, account, ada }: Scene, requests: Requests) {
  const first = { accountIds: [account], caption: 'first' }
  await check('createPost', 201, undefined, ada.call('POST', '/posts', first, { 'idempotency-key': USED_KEY }))
  for (const operation of operations.values()) {
    const { operationId, method, responses } = operation
    const send = requests[operationId as keyof Requests]
    const success = responses[200]
    if (method === 'GET' && success && json(success)) await check(operationId, 200, undefined, send(ada.key))
    for (const [status, example, change] of listMistakes(operation)) {
      const response = responses[status]
      if (!response || !(example in json(response).examples)) continue
      const inject = (request: Injected) => app.inject(change(request) as object)
      await check(operationId, status, example, send(ada.key, { inject } as FastifyInstance))
    }
  }
}
