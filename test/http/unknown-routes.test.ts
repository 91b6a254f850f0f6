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
  for (const text of ['%', '%zz', '%c0%80', '%ff', '%ED%A0%80', '%2e%2e', 'x/y', `${id}/`, 'x'.repeat(17_000)]) {
    checkRejected(check, await send('DELETE', `/api/v1/posts/${text}`), 404, 'Not found', text.slice(0, 60))
  }
  t.strictSame(problems, [])
  t.equal(await countRows(target, 'posts'), 1)
})

t.test('unknown routes and methods are 404', async (t) => {
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
    check(await send('HEAD', url), { status: 404, body: undefined, text: '' }, `HEAD ${url}`)
  }
  for (const [url, known] of [
    ['/api/v1/posts', 'GET POST'],
    ['/api/v1/posts/x', 'GET PATCH DELETE'],
    ['/api/v1/posts/x/publish', 'POST'],
    ['/api/v1/posts/x/deliveries/y/retry', 'POST'],
    ['/api/v1/posts/x/deliveries/y/cancel', 'POST'],
    ['/api/v1/posts/x/deliveries/y/mark-published', 'POST'],
    ['/api/v1/sandbox/calls', 'GET'],
    ['/api/v1/accounts', 'GET POST'],
    ['/api/v1/accounts/x', 'DELETE'],
    ['/healthz', 'GET'],
    ['/readyz', 'GET'],
    ['/metrics', 'GET'],
    ['/openapi.json', 'GET'],
  ] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      if (known.includes(method)) continue
      for (const payload of [undefined, '{', 'x'.repeat(2_000_000)]) {
        const reply = await send(method, url, payload, { 'content-type': 'application/json' })
        checkRejected(check, reply, 404, 'Not found', `${method} ${url}`)
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
