import t from 'tap'
import { call, createWorld } from '../helpers/app.ts'
import { callTool, send } from '../helpers/mcp.ts'

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

t.test('a request needs a key, as everywhere, and the refusal says where to get one by OAuth', async (t) => {
  const { app, user, publicUrl } = await createWorld(t)
  const challenge = `Bearer resource_metadata="${publicUrl()}/.well-known/oauth-protected-resource/mcp"`
  await user()
  for (const [key, error] of [
    [undefined, 'Missing API key'],
    ['pr_x', 'Invalid API key'],
  ] as const) {
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const { status, headers, body } = await call(app, key, method, '/mcp', method === 'POST' ? {} : undefined)
      t.strictSame([status, headers['www-authenticate'], body], [401, challenge, { error }], `${method} ${key}`)
    }
  }
})

t.test('a page of another origin is rejected, and one of this service or of CORS_ORIGINS is not', async (t) => {
  const { user } = await createWorld(t, { corsOrigins: ['https://app.example.com'] })
  const ada = await user()
  const cases: [origin: string, status: number][] = [
    ['https://postroom.example', 200],
    ['https://app.example.com', 200],
    ['https://evil.example', 403],
    ['http://postroom.example', 403],
    ['https://postroom.example.evil.example', 403],
    ['http://localhost:6274', 403],
    ['null', 403],
    ['', 403],
  ]
  for (const [origin, expected] of cases) {
    const { status, headers } = await send(ada, 'ping', undefined, { origin })
    t.equal(status, expected, origin)
    if (expected === 403) t.equal(headers['x-error-code'], 'origin_not_allowed')
  }
})

t.test('there are neither sessions nor streams: GET and DELETE are not allowed', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  for (const method of ['GET', 'DELETE'] as const) {
    const { status, headers, body } = await ada.call(method, '/mcp', undefined, { accept: 'text/event-stream' })
    t.strictSame([status, headers.allow, headers['x-error-code']], [405, 'POST', 'method_not_allowed'])
    t.strictSame(body, { error: 'Method not allowed: send each message as POST' })
  }
  const { body } = await send(ada, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  t.equal(body.error.code, -32601)
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
  const listen = { _meta: MODERN, notifications: { toolsListChanged: true } }
  const { body: refused, headers: sent } = await send(ada, 'subscriptions/listen', listen, headers)
  t.match(sent['content-type'], 'application/json')
  t.equal(refused.error.message, 'Subscription limit reached')
})

t.test('a body that is no JSON object gets the error of any operation', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const cases: [body: string, code: string, message: string][] = [
    [
      '{',
      'invalid_json',
      'Request body is not valid JSON: line 1, column 2: the body ends, expected a key in double quotes or }',
    ],
    ['', 'invalid_json', 'Request body is empty'],
    ['[]', 'invalid_type', 'Expected object, received array'],
    ['"ping"', 'invalid_type', 'Expected object, received string'],
    ['null', 'invalid_type', 'Expected object, received null'],
  ]
  for (const [text, code, message] of cases) {
    const { status, body, headers } = await ada.call('POST', '/mcp', text)
    t.strictSame([status, body.error, headers['x-error-code']], [400, 'Invalid request', 'invalid_request'], text)
    t.strictSame([body.details[0].code, body.details[0].message], [code, message], text)
  }
  const typed = await ada.call('POST', '/mcp', '{}', { 'content-type': 'text/plain' })
  t.equal(typed.body.details[0].message, 'Content-Type must be application/json')
  const large = await ada.call('POST', '/mcp', JSON.stringify('a'.repeat(2 ** 20)))
  t.strictSame([large.status, large.headers['x-error-code']], [413, 'body_too_large'])
})

t.test('a message that breaks the protocol gets an error of JSON-RPC', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const cases: [message: object, status: number, code: number][] = [
    [{}, 400, -32600],
    [{ id: 1, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 5 }, 400, -32600],
    [{ jsonrpc: '2.0', id: 1, method: 'posts/steal' }, 200, -32601],
    [{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32601],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, 200, -32602],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nope' } }, 200, -32602],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: '__proto__' } }, 200, -32602],
  ]
  for (const [message, expected, code] of cases) {
    const { status, body, headers } = await ada.call('POST', '/mcp', message)
    const title = JSON.stringify(message)
    t.strictSame([status, body.jsonrpc, body.error.code], [expected, '2.0', code], title)
    t.equal(headers['x-error-code'], expected === 400 ? 'invalid_request' : undefined, title)
    t.not(body.error.message, '', title)
  }
})

t.test('a version that the service does not know is named, with those that it knows', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const old = await send(ada, 'tools/list', undefined, { 'mcp-protocol-version': '1999-01-01' })
  t.equal(old.status, 400)
  t.match(old.body.error.message, /1999-01-01.*2025-11-25/)

  const _meta = { ...MODERN, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
  const headers = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' }
  const { status, body } = await send(ada, 'tools/list', { _meta }, headers)
  t.strictSame([status, body.error.code, body.error.data.supported], [400, -32022, ['2026-07-28']])

  const contradiction = await send(ada, 'tools/list', { _meta: MODERN }, { 'mcp-protocol-version': '2026-07-28' })
  t.strictSame([contradiction.status, contradiction.body.error.code], [400, -32020])
})

t.test('a notification gets no body', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const { status, body } = await ada.call('POST', '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' })
  t.strictSame([status, body], [202, ''])
})

t.test('a call of a tool takes the rate limit of its operation, and a list takes none of it', async (t) => {
  const { user } = await createWorld(t, { rateLimits: { all: 5, write: 1 } })
  const ada = await user()
  const accountIds = [await ada.account('x')]
  for (const _ of Array(3)) t.equal((await send(ada, 'tools/list')).status, 200)
  t.equal((await callTool(ada, 'create_post', { accountIds, caption: 'a' })).isError, false)
  const { isError, body } = await callTool(ada, 'create_post', { accountIds, caption: 'b' })
  t.strictSame([isError, body.status, body.code], [true, 429, 'rate_limited'])
  t.match(body.error, 'try again in')
  const rejected = await send(ada, 'tools/list')
  t.strictSame([rejected.status, rejected.headers['x-error-code']], [429, 'rate_limited'])
  t.ok(rejected.headers['retry-after'])
})

t.test('the log has each call of a tool with its key, and no argument', async (t) => {
  // biome-ignore lint/suspicious/noExplicitAny: lines have various fields
  const lines: any[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { db, user } = await createWorld(t, { logger: { stream }, trustedProxies: ['127.0.0.1'] })
  const ada = await user()
  const { id: keyId } = await db.selectFrom('apiKeys').select('id').executeTakeFirstOrThrow()
  const account = await ada.account('x')
  await callTool(ada, 'create_post', { accountIds: [account], caption: 'A secret plan' })
  await callTool(ada, 'get_post', { id: 'x' })
  const calls = lines.filter(({ msg }) => msg === 'tool')
  t.match(calls, [
    { tool: 'create_post', userId: ada.id, keyId, ms: Number, reqId: String },
    { tool: 'get_post', keyId, status: 404, errorCode: 'post_not_found' },
  ])
  t.equal('status' in calls[0], false)
  t.match(
    lines.filter(({ msg }) => msg === 'request').map(({ url }) => url),
    ['/api/v1/posts/validate', '/api/v1/posts', '/mcp', '/api/v1/posts/x', '/mcp'],
  )
  t.notMatch(JSON.stringify(lines), 'A secret plan')

  lines.length = 0
  await send(ada, 'tools/call', { name: 'list_accounts' }, { 'x-forwarded-for': '203.0.113.7' })
  const addresses = lines.filter(({ msg }) => msg === 'request').map(({ ip }) => ip)
  t.strictSame(addresses, ['203.0.113.7', '203.0.113.7'], 'the operation has the address of the client')
})

t.test('what a message has beside the arguments of a tool, and what a tool can wait with, is limited', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const junk = 'a'.repeat(2 ** 13)
  const params = { name: 'list_posts', arguments: {} }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const cases = [
    { ...message, junk },
    { ...message, params: { ...params, junk } },
    { ...message, params: { ...params, _meta: { junk } } },
    { ...message, params: junk },
    { ...message, params: [{ arguments: junk }] },
  ]
  for (const body of cases) {
    const { status, body: refused } = await ada.call('POST', '/mcp', body)
    t.strictSame([status, refused.id, refused.error.code], [400, 1, -32600])
    t.match(refused.error.message, /at most 8 kB beside the arguments of a tool/)
  }
  const accountIds = [await ada.account('facebook')]
  const { isError } = await callTool(ada, 'create_post', { accountIds, caption: junk })
  t.equal(isError, false, 'arguments may be long')
  const types = Array(2_000).fill('post.settled')
  const { body } = await callTool(ada, 'list_events', { types, wait: 20 })
  t.strictSame([body.status, body.details[0].message], [400, 'The arguments have more than 16 kB'])
})
