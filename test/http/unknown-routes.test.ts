import t from 'tap'
import { newId } from '../../db/id.ts'
import { collectProblems } from '../helpers/problems.ts'
import { assertNothingStored, assertRejected, checkRejected, countRows, createTarget } from '../helpers/rejections.ts'

t.test('a malformed post id is 404 and deletes nothing', async (t) => {
  const target = await createTarget(t)
  const { send, create, account } = target
  const { id } = (await create({ accountIds: [account] })).body
  const { problems, check } = collectProblems()
  for (const text of [
    ...['%00', 'abc', 'x'.repeat(200), 'x'.repeat(5_000), 'x'.repeat(12_000), '%2F', '%2e%2e%2fposts', '%F0%9F%98%80'],
    ...[
      '00000000-0000-0000-0000-000000000000',
      newId(),
      id.toUpperCase(),
      id.replaceAll('-', ''),
      `{${id}}`,
      `${id}%00`,
    ],
    ...[
      `${id}%20`,
      `${id}%0A`,
      `%20${id}`,
      `${id},${id}`,
      `${id};x`,
      "'",
      '%27%20or%201=1',
      '*',
      ':id',
      '__proto__',
      '',
    ],
  ]) {
    checkRejected(check, await send('DELETE', `/api/v1/posts/${text}`), 404, 'Post not found', text.slice(0, 60))
  }
  for (const text of ['%', '%zz', '%c0%80', '%ff', '%ED%A0%80', '%2e%2e', 'x/y', `${id}//`, 'x'.repeat(17_000)]) {
    checkRejected(check, await send('DELETE', `/api/v1/posts/${text}`), 404, 'Not found', text.slice(0, 60))
  }
  t.strictSame(problems, [])
  t.equal(await countRows(target, 'posts'), 1)
})

t.test('unknown paths are 404, and other methods of a known one 405 with Allow', async (t) => {
  const target = await createTarget(t)
  const { send } = target
  const { problems, check } = collectProblems()
  const urls = [
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/posts',
    '/API/V1/POSTS',
    '//api/v1/posts',
    '/api/v1/posts//x',
  ]
  for (const url of [
    ...urls,
    '/%00',
    '/%zz',
    '/.env',
    '/api/v1/accounts/x/y',
    '/docs/static/nope.js',
    '/docs/x',
    '*',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      const reply = await send(method, url, undefined, { 'content-type': 'text/plain' })
      checkRejected(check, reply, 404, 'Not found', `${method} ${url}`)
    }
    const { status, text } = await send('HEAD', url)
    check([status, text], [404, ''], `HEAD ${url}`)
  }
  for (const [url, allow] of [
    ['/api/v1/posts', 'GET, HEAD, POST'],
    ['/api/v1/posts/x', 'DELETE, GET, HEAD, PATCH'],
    ['/api/v1/posts/x/publish', 'POST'],
    ['/api/v1/posts/x/deliveries/y/retry', 'POST'],
    ['/api/v1/posts/x/deliveries/y/cancel', 'POST'],
    ['/api/v1/posts/x/deliveries/y/mark-published', 'POST'],
    ['/api/v1/sandbox/calls', 'GET, HEAD'],
    ['/api/v1/accounts', 'GET, HEAD, POST'],
    ['/api/v1/posts/x/publish/', 'POST'],
    ['/api/v1/webhooks/x/redeliver', 'POST'],
    ['/healthz', 'GET, HEAD'],
    ['/readyz', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/mcp', 'POST'],
  ] as const) {
    const known = allow.split(', ')
    const error = `Method not allowed: this path takes ${new Intl.ListFormat('en').format(known)}`
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      if (known.includes(method) || (url === '/mcp' && method !== 'PUT')) continue
      for (const payload of [undefined, '{', 'x'.repeat(2_000_000)]) {
        const reply = await send(method, url, payload, { 'content-type': 'application/json' })
        checkRejected(check, reply, 405, error, `${method} ${url}`)
        check(reply.headers.allow, allow, `${method} ${url}: Allow`)
      }
    }
  }
  t.strictSame(problems, [])
  await assertNothingStored(t, target)
})

t.test('errors of the Swagger UI files have the documented shape', async (t) => {
  const { send } = await createTarget(t)
  const file = '/docs/static/swagger-ui.css'
  assertRejected(t, await send('GET', '/docs/static/%00'), 403, 'Forbidden', 'NUL')
  assertRejected(t, await send('GET', `/docs/static/${'x'.repeat(5_000)}`), 403, 'Forbidden', 'a long name')
  assertRejected(
    t,
    await send('GET', '/docs/static/..%2f..%2fpackage.json'),
    404,
    'Not found',
    'a path outside of the folder',
  )
  assertRejected(
    t,
    await send('GET', file, undefined, { range: 'bytes=99999999-' }),
    416,
    'Range Not Satisfiable',
    'a range',
  )
  assertRejected(
    t,
    await send('GET', file, undefined, { 'if-match': '"x"' }),
    412,
    'Precondition Failed',
    'a precondition',
  )
})

t.test('an unknown path gets a hint at the nearest one, and a mistyped one never reveals a secret', async (t) => {
  const { send } = await createTarget(t)
  const { problems, check } = collectProblems()
  for (const [path, nearest] of [
    ['/posts', '/api/v1/posts'],
    ['/v1/posts', '/api/v1/posts'],
    ['/api/v2/posts', '/api/v1/posts'],
    ['//api/v1/posts', '/api/v1/posts'],
    ['/API/V1/POSTS', '/api/v1/posts'],
    ['/api/v1/post', '/api/v1/posts'],
    ['/api/v1/post/abc', '/api/v1/posts/{id}'],
    ['/api/v1/posts/abc/publsh', '/api/v1/posts/{id}/publish'],
    ['/api/v1/posts/abc/delivries/def/retry', '/api/v1/posts/{id}/deliveries/{accountId}/retry'],
    ['/api/v1/acounts?limit=1', '/api/v1/accounts'],
    ['/health', '/healthz'],
    ['/api/v1/mcp', '/mcp'],
    ['/api/v1/tweets', undefined],
    ['/', undefined],
    ['/connect/a/b/c', undefined],
    [`/${'a/'.repeat(5_000)}`, undefined],
    [`/api/v1/${'x'.repeat(15_000)}`, undefined],
  ] as const) {
    const reply = await send('GET', path)
    checkRejected(check, reply, 404, 'Not found', path.slice(0, 40))
    const hint = nearest ? `the nearest is ${nearest}` : '/openapi.json lists them'
    check(reply.headers['x-error-hint'], `No operation has this path: ${hint}`, path.slice(0, 40))
  }
  t.strictSame(problems, [])
  t.equal((await send('GET', '/api/v1/posts/abc')).headers['x-error-hint'], undefined, 'a post that does not exist')
})

t.test('a slash at the end of a path is ignored, unless an id is missing before it', async (t) => {
  const { create, send, account } = await createTarget(t)
  const { id } = (await create({ accountIds: [account] })).body
  const { body } = await send('GET', '/api/v1/posts/?limit=1')
  t.strictSame([body.limit, body.data[0].id], [1, id])
  t.equal((await send('GET', `/api/v1/posts/${id}/`)).body.id, id)
  const json = { 'content-type': 'application/json' }
  t.equal((await send('POST', '/api/v1/posts/', { accountIds: [account] }, json)).status, 201)
  t.equal((await send('GET', '/healthz/')).status, 200)
  assertRejected(t, await send('DELETE', '/api/v1/posts/'), 404, 'Post not found', 'no id')
  t.equal((await send('DELETE', `/api/v1/posts/${id}/`)).status, 200)
})
