import t from 'tap'
import { createWorld } from '../helpers/app.ts'
import { collectProblems } from '../helpers/problems.ts'
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
  const { statusCode, headers } = reply
  t.strictSame([statusCode, headers['x-error-code'], headers.allow], [405, 'method_not_allowed', 'GET, HEAD, POST'])
  t.strictSame(corsHeaders(reply.headers), [])
})

t.test('pages of configured origins can call every operation, pages of other origins none', async (t) => {
  const second = 'http://localhost:5173'
  const { app, user } = await createWorld(t, { corsOrigins: [OURS, second], servesDocument: true })
  const { key } = await user()
  const get = (origin: string, url = '/api/v1/accounts') =>
    app.inject({ method: 'GET', url, headers: { origin, authorization: `Bearer ${key}` } })

  const { problems, check } = collectProblems()
  for (const origin of [OURS, second]) {
    for (const [method, path] of [
      ['GET', '/api/v1/posts'],
      ['POST', '/api/v1/posts'],
      ['DELETE', '/api/v1/posts/some-id'],
    ] as const) {
      const { statusCode, headers } = await app.inject(preflight(origin, method, path))
      const name = `a preflight without a key, ${origin} ${method}`
      check([statusCode, headers['access-control-allow-origin']], [204, origin], name)
      const allowed = String(headers['access-control-allow-methods'])
      check(allowed.split(/, ?/).includes(method), true, `${name}: ${allowed} allow it`)
      const allowedHeaders = String(headers['access-control-allow-headers'])
      check(
        /authorization.*content-type/.test(allowedHeaders),
        true,
        `${name}: ${allowedHeaders} allow a key and a type`,
      )
      check(/Origin/.test(String(headers.vary)), true, `${name}: caches keep the origins apart by ${headers.vary}`)
    }
    for (const url of ['/api/v1/accounts', '/openapi.json']) {
      const { statusCode, headers } = await get(origin, url)
      const name = `${origin} ${url}`
      check([statusCode, headers['access-control-allow-origin']], [200, origin], name)
      check(headers['access-control-allow-credentials'], undefined, `${name}: there are no cookies`)
      const exposed = String(headers['access-control-expose-headers'])
      check(/x-request-id.*x-error-code.*idempotent-replayed/.test(exposed), true, `${name}: ${exposed} are exposed`)
    }
  }
  for (const origin of OTHERS) {
    for (const { headers } of [await app.inject(preflight(origin, 'POST')), await get(origin)]) {
      check(headers['access-control-allow-origin'], undefined, origin)
    }
  }
  t.strictSame(problems, [])

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
  const { problems, check } = collectProblems()
  for (const authorization of [`Bearer ${key}`, '']) {
    for (const url of urls) {
      const { headers } = await app.inject({ method: 'GET', url, headers: { authorization } })
      const { 'x-request-id': id, 'content-security-policy': policy, 'x-powered-by': poweredBy, ...others } = headers
      check(/^[0-9a-f-]{36}$/.test(String(id)), true, `${url}: ${id} is an id`)
      ids.add(id)
      const protection = [others['x-content-type-options'], others['x-frame-options'], others['referrer-policy']]
      check(protection, ['nosniff', 'SAMEORIGIN', 'no-referrer'], url)
      const directives = String(policy)
        .match(/(?:default-src|frame-ancestors) 'none'/g)
        ?.sort()
      check(directives, ["default-src 'none'", "frame-ancestors 'none'"], `${url}: ${policy}`)
      check(poweredBy, undefined, `${url}: x-powered-by`)
    }
  }
  t.strictSame(problems, [])
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
