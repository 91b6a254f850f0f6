import { globSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import t from 'tap'
import { ERRORS } from '../../schemas/errors.ts'
import { generateKey } from '../../src/features/auth/key.ts'
import { createWorld } from '../helpers/app.ts'
import { checkCode } from '../helpers/error-codes.ts'

t.test('every error response has a stable code in x-error-code, and a success has none', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  const foreign = await (await user()).account('x')
  const cases: [method: 'GET' | 'POST' | 'DELETE', path: string, body: unknown, status: number, code: unknown][] = [
    ['GET', '/posts', undefined, 200, undefined],
    ['POST', '/posts', { accountIds: [account] }, 201, undefined],
    ['POST', '/posts', {}, 400, 'invalid_request'],
    ['POST', '/posts', 'not JSON', 400, 'invalid_request'],
    ['POST', '/posts', { accountIds: [account], caption: 'a'.repeat(281) }, 400, 'platform_limit'],
    ['POST', '/posts', { accountIds: [foreign] }, 403, 'no_access'],
    ['POST', '/posts', `"${'a'.repeat(2 ** 20)}"`, 413, 'body_too_large'],
    ['DELETE', '/posts/x', undefined, 404, 'post_not_found'],
    ['DELETE', '/accounts/x', undefined, 404, 'account_not_found'],
    ['GET', '/media/x', undefined, 404, 'media_not_found'],
    ['GET', '/nowhere', undefined, 404, 'route_not_found'],
    ['GET', '/posts/%zz', undefined, 404, 'route_not_found'],
  ]
  for (const [method, path, body, status, code] of cases) {
    const reply = await ada.call(method, path, body)
    t.strictSame([reply.status, reply.headers['x-error-code']], [status, code], `${method} ${path}`)
    t.doesNotThrow(() => checkCode({ method, url: `/api/v1${path}` }, reply), 'the document lists the code')
  }
  for (const [authorization, code] of [
    ['', 'missing_api_key'],
    ['Bearer x', 'invalid_api_key'],
  ]) {
    const reply = await app.inject({ url: '/api/v1/posts', headers: { authorization } })
    t.strictSame([reply.statusCode, reply.headers['x-error-code']], [401, code])
  }
})

t.test('a client that accepts problems gets the same error as one', async (t) => {
  const { app, user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('x')
  const long = { accountIds: [account], caption: 'a'.repeat(281) }
  for (const [url, payload] of [
    ['/api/v1/posts', {}],
    ['/api/v1/posts/batch', { posts: [long] }],
    ['/api/v1/nowhere', {}],
  ] as const) {
    const send = (accept: string) =>
      app.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${ada.key}`, accept } })
    const error = await send('application/json')
    const { statusCode: status, headers } = error
    const reply = await send('application/json, application/problem+json')
    t.match([reply.statusCode, reply.headers['content-type']], [status, 'application/problem+json'])
    const { type, title, ...problem } = reply.json()
    const code = headers['x-error-code']
    t.strictSame(problem, { status, detail: error.json().error, code, ...error.json() }, url)
    t.strictSame([type, typeof title], [`/docs/error-codes.md#${code}`, 'string'])
  }
})

t.test('a problem is sent for its media type alone, unless it is refused', async (t) => {
  const { app } = await createWorld(t)
  const typeFor = async (accept: string) =>
    (await app.inject({ url: '/api/v1/posts', headers: { accept } })).headers['content-type']
  const problem = 'application/problem+json'
  for (const accept of ['Application/Problem+JSON', `text/html,${problem} ; q=0.1`, `${problem};charset=utf-8, */*`])
    t.match(await typeFor(accept), problem, accept)
  for (const accept of [
    '*/*',
    `${problem};q=0`,
    `*/*, ${problem} ; q=0.00, a/b`,
    `${problem}x`,
    'application/problem+xml',
  ])
    t.match(await typeFor(accept), /^application\/json/, accept)
})

t.test('every documented code is used', async (t) => {
  const source = globSync('src/**/*.ts')
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  for (const code of Object.keys(ERRORS)) t.match(source, RegExp(`'${code}['.]`), code)
})

t.test('conflicts of posts and deliveries have a code for each reason', async (t) => {
  const { user } = await createWorld(t)
  const ada = await user()
  const account = await ada.account('mastodon')
  const create = async (body: object) =>
    (await ada.call('POST', '/posts', { accountIds: [account], caption: 'a', ...body })).body.id
  const draft = await create({})
  const scheduled = await create({ scheduledAt: '2999-01-01T00:00:00Z' })
  const cases: [path: string, body: unknown, status: number, code: string][] = [
    [`/posts/${draft}/deliveries/${account}/retry`, undefined, 409, 'post_is_draft'],
    [`/posts/${scheduled}/deliveries/${account}/retry`, undefined, 409, 'delivery_not_due'],
    [`/posts/${scheduled}/deliveries/${account}/resolve`, { outcome: 'published' }, 409, 'delivery_not_unconfirmed'],
    [`/posts/${draft}/deliveries/x/retry`, undefined, 404, 'delivery_not_found'],
    ['/posts/x/publish', undefined, 404, 'post_not_found'],
  ]
  for (const [path, body, status, code] of cases) {
    const reply = await ada.call('POST', path, body)
    t.strictSame([reply.status, reply.headers['x-error-code']], [status, code], path)
    t.doesNotThrow(() => checkCode({ method: 'POST', url: `/api/v1${path}` }, reply), 'the document lists the code')
  }
})

t.test('failures of the service have codes as well', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  app.get('/fails', () => Promise.reject(new Error('unexpected')))
  app.get('/stopped', () => Promise.reject(Object.assign(new Error('shutting down'), { code: '57P01' })))
  const code = async (path: string) => (await ada.call('GET', path)).headers['x-error-code']
  t.equal(await code('/fails'), 'internal_error')
  await sql`alter table posts rename to away`.execute(db)
  t.equal(await code('/posts'), 'internal_error')
  await sql`alter table away rename to posts`.execute(db)
  t.equal(await code('/stopped'), 'database_unavailable')
  await sql`alter table api_keys rename to away`.execute(db)
  const unknown = { authorization: `Bearer ${generateKey()}` }
  const { headers } = await app.inject({ url: '/api/v1/posts', headers: unknown })
  t.equal(headers['x-error-code'], 'auth_not_initialized')
})
