import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { recordSecrets } from '../helpers/log-record.ts'
import { needsPython, type PythonCall, startPython } from '../helpers/python-client.ts'
import { type Answer, scriptService } from '../helpers/scripted-service.ts'
import { jpeg } from '../helpers/upload.ts'

const python = startPython(t)
const failed: Answer = { status: 500, body: { error: 'Failed to create post' } }
const lost = (response: ServerResponse) => response.socket!.destroy()
const post = { accountIds: ['a'] }

t.test('a create is repeated under one key, and what may have changed something is not', needsPython, async (t) => {
  const limited = { status: 429, headers: { 'retry-after': '0' }, body: { error: 'Too many requests' } }
  const cases: [name: string, answer: Answer, attempts: number, call: Omit<PythonCall, 'client'>][] = [
    ['create', failed, 2, { method: 'posts.create', args: [post] }],
    ['create, response lost', lost, 2, { method: 'posts.create', args: [post] }],
    ['read', failed, 2, { method: 'posts.get', args: ['a'] }],
    ['read, response lost', lost, 2, { method: 'posts.get', args: ['a'] }],
    ['delete', failed, 2, { method: 'posts.delete', args: ['a'] }],
    ['validation', lost, 2, { method: 'posts.validate', args: [post] }],
    ['put', failed, 2, { method: 'organizations.put_member', args: ['a', 'b', { role: 'admin' }] }],
    ['change with If-Match', failed, 2, { method: 'posts.update', args: ['a', {}], kwargs: { if_match: '"1"' } }],
    ['change', failed, 1, { method: 'posts.update', args: ['a', {}] }],
    ['change, response lost', lost, 1, { method: 'posts.update', args: ['a', {}] }],
    ['change, refused', limited, 2, { method: 'posts.update', args: ['a', {}] }],
    ['publish', failed, 1, { method: 'posts.publish', args: ['a'] }],
    ['new key', failed, 1, { method: 'keys.create', args: [{ name: 'a', scopes: ['posts:read'] }] }],
  ]
  for (const [name, answer, attempts, call] of cases) {
    const { baseUrl, seen } = await scriptService(t, [answer, { status: 200, body: {} }])
    const reply = await python({ client: { key: 'pr_test', base_url: baseUrl, max_retries: 1 }, ...call })
    t.equal(seen.length, attempts, name)
    t.equal(reply.error === undefined, attempts === 2, name)
    t.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1, `${name}: one key`)
    t.ok(seen.every(({ headers }) => headers.authorization === 'Bearer pr_test'))
  }
})

t.test('an error has the class, the code and the pause of its response', needsPython, async (t) => {
  const cases: [answer: Answer, expected: object][] = [
    [
      { status: 404, body: { error: 'Post not found' } },
      { error: 'NotFound', message: 'Post not found', status: 404 },
    ],
    [
      { status: 400, headers: { 'x-error-code': 'platform_limit' }, body: { error: 'x: too long' } },
      { error: 'LimitViolation', code: 'platform_limit' },
    ],
    [
      { status: 400, body: { error: 'Invalid request', details: [{ path: ['a', 0], message: 'Required' }] } },
      { error: 'InvalidRequest', message: 'Invalid request: a.0: Required' },
    ],
    [
      { status: 400, body: { error: 'Invalid request', details: [{ path: [], message: 'Unrecognized key(s)' }] } },
      { error: 'InvalidRequest', message: 'Invalid request: Unrecognized key(s)' },
    ],
    [
      { status: 429, headers: { 'retry-after': '61' }, body: { error: 'Too many requests' } },
      { error: 'RateLimited', retry_after: 61 },
    ],
    [
      { status: 502, body: 'Bad gateway' },
      { error: 'ServerError', status: 502, message: /: check base_url$/ },
    ],
    [lost, { error: 'NoResponse', status: 0 }],
  ]
  for (const [answer, expected] of cases) {
    const { baseUrl } = await scriptService(t, [answer])
    const client = { key: 'pr_test', base_url: baseUrl, max_retries: 0 }
    t.match(await python({ client, method: 'posts.get', args: ['a'] }), expected)
  }
  const wrong = await python({
    client: { key: 'pr_test', base_url: 'http://127.0.0.1:1' },
    method: 'posts.get',
    args: ['..'],
  })
  t.equal(wrong.error, 'TypeError', 'an id that leads to another path is not sent')
})

t.test('files are uploaded from a path, and read back', needsPython, async (t) => {
  const { app, user } = await createWorld(t)
  const { key } = await user()
  const base_url = await app.listen({ host: '127.0.0.1', port: 0 })
  const client = { key, base_url }
  const bytes = await jpeg()
  const path = `${t.testdir({ 'lighthouse.jpg': bytes })}/lighthouse.jpg`
  const uploaded = await python({
    client,
    method: 'uploads.create',
    args: [path],
    kwargs: { altText: 'Dusk', metadata: { a: 'b' } },
  })
  t.match(uploaded, { status: 201, result: { fileName: 'lighthouse.jpg', altText: 'Dusk', metadata: { a: 'b' } } })
  const { id } = uploaded.result as { id: string }
  t.equal((await python({ client, method: 'media.content', args: [id] })).bytes, bytes.length)
})

t.test('a list gives the items of all pages, and follow goes on through an outage', needsPython, async (t) => {
  const pages: Answer[] = [['a', 'b'], [], ['c']].map((ids, index) => ({
    status: 200,
    body: { data: ids.map((id) => ({ id })), nextCursor: index < 2 ? `cursor-${index}` : null },
  }))
  const items = { result: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] }
  const lists = await scriptService(t, pages)
  const client = { key: 'pr_test', base_url: `${lists.baseUrl}/api/v1/` }
  t.match(await python({ client, method: 'posts.list', kwargs: { status: ['draft', 'scheduled'] }, take: 9 }), items)
  t.strictSame(
    lists.seen.map(({ url }) => url),
    ['', '&cursor=cursor-0', '&cursor=cursor-1'].map((rest) => `/api/v1/posts?status=draft&status=scheduled${rest}`),
  )
  const [first, ...rest] = pages as [Answer, ...Answer[]]
  const stream = await scriptService(t, [first, failed, lost, failed, ...rest])
  const follower = { key: 'pr_test', base_url: stream.baseUrl, max_retries: 0 }
  t.match(await python({ client: follower, method: 'events.follow', kwargs: { after: 'x' }, take: 3 }), items)
  t.equal(stream.seen.at(-1)!.url, '/api/v1/events?after=cursor-1&wait=20')
})

t.test('a post is read until it is settled', needsPython, async (t) => {
  const inStates = (...states: string[]): Answer => ({
    status: 200,
    body: { id: 'a', targets: states.map((state) => ({ delivery: { state } })) },
  })
  const wait = async (answers: Answer[], timeout: number) => {
    const { baseUrl } = await scriptService(t, answers)
    const client = { key: 'pr_test', base_url: baseUrl }
    return python({ client, method: 'posts.wait_until_settled', args: ['a'], kwargs: { timeout } })
  }
  const settled = await wait([inStates('queued', 'published'), inStates('failed', 'published')], 60)
  t.strictSame(settled.result?.targets, [{ delivery: { state: 'failed' } }, { delivery: { state: 'published' } }])
  t.equal((await wait([inStates('publishing')], 0.1)).error, 'NotSettled')
  t.equal((await wait([inStates('waiting')], 60)).error, 'NotSettled', 'a draft is never settled')
})

t.test('what the library of Standard Webhooks signs is accepted, and nothing else', needsPython, async (t) => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  recordSecrets('key', secret)
  const body = JSON.stringify({ id: '1', type: 'post.settled', data: { text: 'é 🎉' } })
  const sign = (at: Date) => ({
    'Webhook-Id': '1',
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1000)),
    'Webhook-Signature': new Webhook(secret).sign('1', at, body),
  })
  const verify = (...args: unknown[]) => python({ client: null, method: 'verify_webhook', args })
  const now = new Date()
  t.strictSame((await verify(body, sign(now), secret)).result, JSON.parse(body))
  t.strictSame(
    (await verify(body, sign(now), [`whsec_${randomBytes(32).toString('base64')}`, secret])).result,
    JSON.parse(body),
  )
  const forged: [string, object][] = [
    [`${body} `, sign(now)],
    [body, sign(new Date(now.getTime() - 400_000))],
    [body, { ...sign(now), 'Webhook-Id': '2' }],
    [body, { ...sign(now), 'Webhook-Timestamp': 'now' }],
    [body, {}],
  ]
  for (const [content, headers] of forged) t.equal((await verify(content, headers, secret)).error, 'InvalidSignature')
})
