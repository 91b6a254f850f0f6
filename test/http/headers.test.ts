import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'

const OURS = 'https://app.example.com'
const OTHERS = ['https://evil.example', `${OURS}.evil.example`, 'http://app.example.com', `${OURS}:8443`, 'null']

const preflight = (origin: string, method: string, path = '/api/v1/posts') =>
  ({
    method: 'OPTIONS',
    url: path,
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type',
    },
  }) as const

const corsHeaders = (headers: object) => Object.keys(headers).filter((name) => name.startsWith('access-control-'))

t.test('pages of other origins can read no response, unless CORS is configured', async (t) => {
  const { app, user } = await createWorld(t, { servesDocument: true })
  const { key } = await user()
  for (const url of ['/api/v1/accounts', '/openapi.json', '/docs/json', '/healthz']) {
    const headers = { origin: OURS, authorization: `Bearer ${key}` }
    const reply = await app.inject({ method: 'GET', url, headers })
    t.equal(reply.statusCode, 200, url)
    t.strictSame(corsHeaders(reply.headers), [], url)
  }
  const reply = await app.inject(preflight(OURS, 'POST'))
  t.strictSame([reply.statusCode, reply.json()], [404, { error: 'Not found' }])
  t.strictSame(corsHeaders(reply.headers), [])
})

t.test('pages of configured origins can call every operation, pages of other origins none', async (t) => {
  const second = 'http://localhost:5173'
  const { app, user } = await createWorld(t, { corsOrigins: [OURS, second], servesDocument: true })
  const { key } = await user()
  const get = (origin: string, url = '/api/v1/accounts') =>
    app.inject({ method: 'GET', url, headers: { origin, authorization: `Bearer ${key}` } })

  for (const origin of [OURS, second]) {
    for (const [method, path] of [
      ['GET', '/api/v1/posts'],
      ['POST', '/api/v1/posts'],
      ['DELETE', '/api/v1/posts/some-id'],
    ] as const) {
      const { statusCode, headers } = await app.inject(preflight(origin, method, path))
      t.equal(statusCode, 204, 'a preflight has no key')
      t.equal(headers['access-control-allow-origin'], origin)
      t.ok(String(headers['access-control-allow-methods']).split(/, ?/).includes(method), method)
      t.match(headers['access-control-allow-headers'], /authorization.*content-type/)
      t.match(headers.vary, /Origin/, 'caches keep the origins apart')
    }
    for (const url of ['/api/v1/accounts', '/openapi.json']) {
      const { statusCode, headers } = await get(origin, url)
      t.equal(statusCode, 200)
      t.equal(headers['access-control-allow-origin'], origin)
      t.equal(headers['access-control-allow-credentials'], undefined, 'there are no cookies')
      t.match(headers['access-control-expose-headers'], /x-request-id.*x-error-code.*idempotent-replayed/)
    }
  }
  for (const origin of OTHERS) {
    t.equal((await app.inject(preflight(origin, 'POST'))).headers['access-control-allow-origin'], undefined, origin)
    t.equal((await get(origin)).headers['access-control-allow-origin'], undefined, origin)
  }

  const refused = await app.inject({ method: 'POST', url: '/api/v1/posts', headers: { origin: OURS } })
  t.equal(refused.statusCode, 401)
  t.equal(refused.headers['access-control-allow-origin'], OURS, 'a page can read the error')
})

t.test('an OPTIONS request that is not a preflight gets JSON or no body', async (t) => {
  const { app } = await createWorld(t, { corsOrigins: [OURS] })
  for (const headers of [{}, { origin: OURS }]) {
    const { body } = await app.inject({ method: 'OPTIONS', url: '/api/v1/posts', headers })
    if (body !== '') t.match(JSON.parse(body), { error: String })
  }
})

t.test('every response has its own request id and the security headers', async (t) => {
  const { app, user } = await createWorld(t, { servesDocument: true })
  const { key } = await user()
  const ids = new Set<unknown>()
  const urls = ['/api/v1/accounts', '/api/v1/nothing', '/healthz', '/openapi.json', '/docs', '/docs/json']
  for (const authorization of [`Bearer ${key}`, '']) {
    for (const url of urls) {
      const { headers } = await app.inject({ method: 'GET', url, headers: { authorization } })
      t.match(headers['x-request-id'], /^[0-9a-f-]{36}$/, url)
      ids.add(headers['x-request-id'])
      t.match(headers, {
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
        'content-security-policy': /default-src 'none'/,
      })
      t.match(headers['content-security-policy'], /frame-ancestors 'none'/)
      t.equal(headers['x-powered-by'], undefined)
    }
  }
  t.equal(ids.size, 2 * urls.length)
})

t.test('log lines of a request have the request id of its response', async (t) => {
  const lines: { msg: string; reqId: string; url: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { app } = await createWorld(t, { logger: { stream }, servesDocument: true })
  app.get('/fails', async () => {
    throw new Error('unexpected')
  })
  const urls = ['/docs', '/fails', '/api/v1/accounts', '/nowhere']
  const replies = await Promise.all(urls.map((url) => app.inject(url)))
  const ids = replies.map(({ headers }) => headers['x-request-id'])
  const logged = (msg: string) => lines.filter((line) => line.msg === msg)
  await until('every request is logged', () => logged('request').length === urls.length)
  for (const [index, url] of urls.entries()) {
    t.hasStrict(
      logged('request').find((line) => line.url === url),
      { reqId: ids[index] },
      url,
    )
  }
  t.hasStrict(logged('request failed'), [{ reqId: ids[1] }])
})

t.test('the pages of Swagger UI can load their own files, over plain HTTP as well, and nothing else', async (t) => {
  const { app } = await createWorld(t, { servesDocument: true })
  const page = await app.inject('/docs')
  t.match(page, { statusCode: 200, headers: { 'content-type': /^text\/html/ } })
  const assets = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!)
  t.ok(assets.length >= 4)
  for (const url of ['/docs', '/docs/', ...assets.map((asset) => new URL(asset, 'http://host/docs').pathname)]) {
    const { statusCode, headers } = await app.inject(url)
    t.equal(statusCode, 200, url)
    const policy = String(headers['content-security-policy'])
    t.match(policy, /script-src 'self';/, url)
    t.notMatch(policy, /upgrade-insecure-requests|https?:|unsafe-eval|\*/, url)
  }
})
