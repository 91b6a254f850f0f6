import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { callTool, send } from '../helpers/mcp.ts'

t.test('bad arguments get the error and the details of the operation, and change nothing', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  const foreign = await (await user()).account('x')
  const bodies = [
    {},
    { accountIds: 'a' },
    { accountIds: [1, null] },
    { accountIds: [] },
    { accountIds: [account], caption: 5 },
    { accountIds: [account], scheduleAt: 1 },
    { accountIds: [account], postType: 'tweet' },
    { accountIds: [account], caption: 'a\0' },
    { accountIds: [account], caption: '\ud800' },
    { accountIds: [account], accountOverrides: [{ accountId: account, fields: { n: 2 ** 60 } }] },
    { accountIds: [account], accountOverrides: [{ accountId: foreign }] },
    { accountIds: [account], caption: 'a', scheduledAt: '2030-02-30T00:00:00Z' },
    { accountIds: [account], caption: 'a', scheduledAt: '2030-01-01T00:00:00' },
    { accountIds: [foreign] },
    { accountIds: [account], mediaIds: ['x'] },
    { accountIds: [account], caption: 'a'.repeat(281) },
    { accountIds: [account], caption: 'a', metadata: { '': 1 } },
    JSON.parse(`{"accountIds": ["${account}"], "__proto__": {"caption": "a"}}`),
    JSON.parse(`{"accountIds": ["${account}"], "metadata": {"__proto__": "a"}}`),
    JSON.parse(`{"accountIds": ["${account}"], "accountOverrides": ${'['.repeat(50)}${']'.repeat(50)}}`),
  ]
  for (const body of bodies) {
    const title = JSON.stringify(body).slice(0, 100)
    const reply = await ada.call('POST', '/posts', body)
    t.not(reply.status, 201, title)
    // `confirm`, so that both see the time.
    const { isError, body: problem } = await callTool(ada, 'create_post', withConfirm(body))
    t.equal(isError, true, title)
    const { status, code, error, details } = problem
    t.strictSame([status, code, error], [reply.status, reply.headers['x-error-code'], reply.body.error], title)
    t.strictSame(byPath(details), byPath(reply.body.details), title)
  }
  t.strictSame((await ada.call('GET', '/posts')).body.data, [])
})

/** A spread would set the prototype. */
const withConfirm = (body: object) => Object.defineProperty(body, 'confirm', { value: true, enumerable: true })

/** The keys of an object may be in any order. */
const byPath = (details: { path: unknown[] }[] | undefined) =>
  details && new Set(details.map((issue) => JSON.stringify(Object.entries(issue).sort())))

t.test('a post over limits is an error with all violations, so that the agent mends them at once', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const accountIds = [await ada.account('x'), await ada.account('bluesky')]
  const { isError, body, text } = await callTool(ada, 'create_post', { accountIds, caption: 'a'.repeat(301) })
  t.equal(isError, true)
  t.strictSame([body.status, body.code], [400, 'platform_limit'])
  t.strictSame(
    body.violations.map(({ platform, rule }: { platform: string; rule: string }) => [platform, rule]),
    [
      ['x', 'caption_length'],
      ['bluesky', 'caption_length'],
    ],
  )
  t.equal(text, '400 platform_limit: x (@ada): caption is 301 characters long, at most 280 are allowed')
})

t.test('arguments of the path and of the query are checked as well, and never converted', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const cases: [tool: string, args: object, status: number, code: string, path?: unknown][] = [
    ['get_post', {}, 400, 'invalid_request', ['id']],
    ['get_post', { id: 5 }, 400, 'invalid_request', ['id']],
    ['get_post', { id: 'x' }, 404, 'post_not_found'],
    ['get_post', { id: '../accounts' }, 404, 'post_not_found'],
    ['get_post', { id: '?' }, 404, 'post_not_found'],
    ['get_post', { id: '\ud800' }, 400, 'invalid_request', ['id']],
    ['get_post', { id: 'x', foo: 1 }, 400, 'invalid_request', []],
    ['list_posts', { limit: '5' }, 400, 'invalid_request', ['limit']],
    ['list_posts', { limit: 1.5 }, 400, 'invalid_request', ['limit']],
    ['list_posts', { limit: 101 }, 400, 'invalid_request', ['limit']],
    ['list_posts', { status: 'draft' }, 400, 'invalid_request', ['status']],
    ['list_posts', { status: ['gone'] }, 400, 'invalid_request', ['status', 0]],
    ['list_posts', { offset: null }, 400, 'invalid_request', ['offset']],
    ['list_accounts', { foo: 1 }, 400, 'invalid_request', []],
    ['list_events', { wait: 21 }, 400, 'invalid_request', ['wait']],
    ['list_events', { types: ['post'] }, 400, 'invalid_request', ['types', 0]],
    ['resolve_delivery', { id: 'x', accountId: 'y' }, 400, 'invalid_request', ['outcome']],
    ['resolve_delivery', { id: 'x', accountId: 'y', outcome: 'published' }, 404, 'post_not_found'],
    ['update_post', { id: 'x', caption: null }, 400, 'invalid_request', ['caption']],
    ['update_post', { id: 'x', caption: 'a' }, 404, 'post_not_found'],
    ['create_post', { accountIds: ['x'], confirm: 'yes' }, 400, 'invalid_request', ['confirm']],
    ['create_post', { accountIds: ['x'], idempotencyKey: 'ä' }, 400, 'invalid_request', ['idempotencyKey']],
    ['import_media', { url: 'http://localhost/x.png' }, 400, 'url_not_public'],
  ]
  for (const [tool, args, status, code, path] of cases) {
    const { isError, body } = await callTool(ada, tool, args)
    t.strictSame([isError, body.status, body.code], [true, status, code], `${tool} ${JSON.stringify(args)}`)
    t.strictSame(body.details?.[0].path, path, `${tool} ${JSON.stringify(args)}`)
  }
})

t.test('an unexpected failure of a tool shows nothing of its cause', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  await db.schema.alterTable('posts').renameTo('away').execute()
  const { isError, body } = await callTool(ada, 'list_posts')
  t.equal(isError, true)
  const internal = { status: 500, code: 'internal_error', error: 'Internal server error' }
  t.strictSame(body, internal)

  const called = callTool(ada, 'list_accounts')
  Object.assign(app, { inject: () => Promise.reject(new Error('A path of this machine')) })
  t.strictSame((await called).body, internal)
})

t.test('arguments that are no object are an error of the protocol', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  for (const args of ['x', [1], 5]) {
    const { body } = await send(ada, 'tools/call', { name: 'list_accounts', arguments: args })
    t.equal(body.error.code, -32602, JSON.stringify(args))
  }
})

t.test('the text of an error names the argument, and repeats no long name', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const call = async (name: string, args: object) =>
    (await send(ada, 'tools/call', { name, arguments: args })).body as {
      result: { content: { text: string }[] }
      error: { message: string }
    }
  const { result } = await call('get_post', { id: 'a', more: 1 })
  t.equal(
    result.content[0]!.text,
    "400 invalid_request: Invalid request; Unrecognized key(s) in object: 'more'",
    'no empty path',
  )
  const { error } = await call('a'.repeat(100_000), {})
  t.equal(error.message, `Unknown tool, or not allowed to this API key: ${'a'.repeat(100)}`)
})

t.test('an answer that is too large for an agent says how to ask for less', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('sandbox')
  // Twice as long in JSON, so that a page of the list is longer than an answer may be.
  const caption = '"'.repeat(450_000)
  const accountOverrides = [{ accountId: account, captionOverride: 'short' }]
  for (let count = 0; count < 5; count++) {
    t.equal((await ada.call('POST', '/posts', { accountIds: [account], caption, accountOverrides })).status, 201)
  }
  const { isError, body } = await callTool(ada, 'list_posts', { limit: 5 })
  t.equal(isError, true)
  t.match(body, { status: 400, code: 'invalid_request', details: [{ path: ['limit'] }] })
  t.equal((await callTool(ada, 'list_posts', { limit: 2 })).body.data.length, 2)

  const list = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'list_posts', arguments: { limit: 2 } },
  })
  const replies = (await ada.call('POST', '/mcp', [list(1), list(2), list(3)])).body
  t.strictSame(
    replies.map(({ id, error }: { id: number; error?: { code: number } }) => [id, error?.code]),
    [
      [1, undefined],
      [2, undefined],
      [3, -32600],
    ],
  )
})
