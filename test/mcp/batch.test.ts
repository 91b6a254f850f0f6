import t from 'tap'
import { createWorld } from '../helpers/app.ts'

const request = (id: number, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
})
const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }
const OLD = { 'mcp-protocol-version': '2025-03-26' }

t.test('a batch of version 2025-03-26 gets the responses to its requests, in their order', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account('x')]
  const messages = [
    request(1, 'ping'),
    INITIALIZED,
    request(2, 'tools/call', { name: 'create_post', arguments: { accountIds, caption: 'From a batch' } }),
    request(3, 'tools/call', { name: 'list_posts', arguments: {} }),
    request(4, 'posts/steal'),
    5,
    request(6, 'initialize', {}),
    request(7, 'tools/list'),
  ]
  // Clients of this version send no header with it.
  for (const headers of [{}, OLD]) {
    const { status, body } = await ada.call('POST', '/mcp', messages, headers)
    t.equal(status, 200)
    t.strictSame(
      body.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code]),
      [
        [1, undefined],
        [2, undefined],
        [3, undefined],
        [4, -32601],
        [null, -32600],
        [6, -32600],
        [7, undefined],
      ],
    )
    t.equal(body[2].result.structuredContent.data[0].caption, 'From a batch')
    t.ok(body[6].result.tools.length > 0)
  }
  const { status, body } = await ada.call('POST', '/mcp', [INITIALIZED, INITIALIZED], OLD)
  t.strictSame([status, body], [202, ''])
})

t.test('a batch of another version, and one that is too long, is an error of JSON-RPC', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    const headers = { 'mcp-protocol-version': version }
    const { status, body, headers: sent } = await ada.call('POST', '/mcp', [request(1, 'ping')], headers)
    t.strictSame([status, body.id, body.error.code, sent['x-error-code']], [400, null, -32600, 'invalid_request'])
    t.match(body.error.message, /Only version 2025-03-26 has batches/)
  }
  const pings = Array.from({ length: 21 }, (_, id) => request(id, 'ping'))
  const { status, body } = await ada.call('POST', '/mcp', pings, OLD)
  t.strictSame([status, body.error.message], [400, 'A batch has at most 20 messages'])
  t.equal((await ada.call('POST', '/mcp', pings.slice(1), OLD)).body.length, 20)
  const long = await ada.call('POST', '/mcp', [
    request(1, 'tools/call', { arguments: { caption: 'a'.repeat(2 ** 16) } }),
  ])
  t.strictSame([long.status, long.body.error.code], [400, -32600])
  t.match(long.body.error.message, /at most 64 kB: send long messages as requests of their own/)
})

t.test('the messages of a batch count towards the rate limits', async (t) => {
  const { user } = await createWorld(t, { rateLimits: { all: 5, write: 1 } })
  const ada = await user()
  const accountIds = [await ada.account('x')]
  const create = (id: number) =>
    request(id, 'tools/call', { name: 'create_post', arguments: { accountIds, caption: 'a' } })
  const { body } = await ada.call('POST', '/mcp', [create(1), create(2), ...[3, 4, 5].map((id) => request(id, 'ping'))])
  t.equal(body[0].result.isError, undefined)
  t.equal(body[1].result.structuredContent ?? JSON.parse(body[1].result.content[1].text).code, 'rate_limited')
  const { error } = body[4]
  t.strictSame([body[4].id, error.code, error.data.status, error.data.code], [5, -32000, 429, 'rate_limited'])
  t.equal((await ada.call('GET', '/posts')).body.data.length, 1)
})
