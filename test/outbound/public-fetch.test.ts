import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import net, { type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createPublicFetch } from '../../src/outbound/public-fetch.ts'
import { unanswered } from '../../src/platforms/adapter.ts'

/** 127.0.0.1 plays the public internet, 127.0.0.2 a network that must not be reached. */

const sample = (name: string) => readFileSync(new URL(`../samples/tls/${name}`, import.meta.url), 'utf8')

async function serve(t: Test, listener: RequestListener, { host = '127.0.0.1', port = 0, secure = false } = {}) {
  const pair = sample('server.pem')
  const server = secure ? createSecureServer({ cert: pair, key: pair }, listener) : createServer(listener)
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(port, host)
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** Would answer. Where a system has no 127.0.0.2, nothing can be reached there anyway. */
const serveInside = (t: Test, port: number) =>
  serve(t, (_, response) => response.end('inside'), { host: '127.0.0.2', port }).catch(() => ({ connections: () => 0 }))

const NAMES: Record<string, string[]> = {
  'files.example': ['127.0.0.1'],
  'private.example': ['127.0.0.2'],
  'mixed.example': ['127.0.0.1', '127.0.0.2'],
  'none.example': [],
}

function create() {
  const lookups: string[] = []
  const fetch = createPublicFetch({
    async resolve(hostname) {
      lookups.push(hostname)
      const addresses = NAMES[hostname]
      if (!addresses) throw new Error('no such name')
      return addresses.map((address) => ({ address, family: net.isIP(address) }))
    },
    mayConnect: (address) => address === '127.0.0.1',
    ca: sample('ca.pem'),
  })
  return { fetch, lookups }
}

const echo: RequestListener = async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  response.setHeader('x-method', `${request.method} ${request.headers.host} ${request.headers['content-length']}`)
  response.end(body)
}

/** What the owner of an account reads, with the host left out. */
async function refusal(t: Test, attempt: Promise<unknown>): Promise<object> {
  const error = (await attempt.then(
    () => undefined,
    (error) => error,
  )) as Error
  t.ok(error instanceof TypeError, String(error))
  const { message, code, maybeSent, retryable } = unanswered(error, 'HOST')
  return { message, code, maybeSent, retryable }
}

const UNREACHABLE = {
  message: 'HOST could not be reached (ENOTFOUND)',
  code: 'unreachable',
  maybeSent: false,
  retryable: true,
}

t.test('a public name is called, by http and https', async (t) => {
  const { fetch, lookups } = create()
  for (const secure of [false, true]) {
    const { port } = await serve(t, echo, { secure })
    const url = `http${secure ? 's' : ''}://files.example:${port}/a`
    const response = await fetch(url, { method: 'POST', body: 'hello', headers: { 'x-a': 'b' } })
    t.equal(response.headers.get('x-method'), `POST files.example:${port} 5`)
    t.equal(await response.text(), 'hello')
  }
  t.strictSame(lookups, ['files.example', 'files.example'])
  const { port } = await serve(t, echo)
  t.equal((await fetch(new URL(`http://127.0.0.1:${port}/`))).status, 200, 'by its address')
})

t.test('a private address is not connected to, and looks like a name that does not exist', async (t) => {
  const { fetch } = create()
  const { port, connections } = await serve(t, echo)
  const inside = await serveInside(t, port)
  const hosts = ['private.example', 'mixed.example', 'none.example', 'unknown.example', '127.0.0.2', '[::1]', '0.0.0.0']
  const others = ['2130706434', '0x7f.2', '169.254.169.254', '[::ffff:127.0.0.2]', 'localhost']
  for (const host of [...hosts, ...others]) {
    for (const protocol of ['http', 'https']) {
      const attempt = fetch(`${protocol}://${host}:${port}/`, { method: 'POST', body: 'x' })
      t.strictSame(await refusal(t, attempt), UNREACHABLE, `${protocol}://${host}`)
    }
  }
  t.equal(inside.connections(), 0)
  t.equal(connections(), 0, 'not even where one of its addresses is public')
})

t.test('a redirection does not lead inside either', async (t) => {
  const { fetch } = create()
  for (const host of ['private.example', '127.0.0.2']) {
    const { port } = await serve(t, (_, response) => {
      response.writeHead(302, { location: `http://${host}:${port}/` }).end()
    })
    const inside = await serveInside(t, port)
    t.strictSame(await refusal(t, fetch(`http://files.example:${port}/`)), UNREACHABLE)
    t.equal((await fetch(`http://files.example:${port}/`, { redirect: 'manual' })).status, 302)
    t.equal(inside.connections(), 0)
  }
})

t.test('a name is asked for again with each connection, and the address that was judged is the one used', async (t) => {
  const { port } = await serve(t, (_, response) => response.setHeader('connection', 'close').end('outside'))
  const inside = await serveInside(t, port)
  const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.1']
  const fetch = createPublicFetch({
    resolve: async () => [{ address: answers.shift()!, family: 4 }],
    mayConnect: (address) => address === '127.0.0.1',
  })
  const url = `http://files.example:${port}/`
  t.equal(await (await fetch(url)).text(), 'outside')
  t.strictSame(await refusal(t, fetch(url)), UNREACHABLE)
  t.equal(await (await fetch(url)).text(), 'outside')
  t.equal(inside.connections(), 0)
})

t.test('a server without a valid certificate, or that is not there, was not sent anything', async (t) => {
  const { fetch } = create()
  const { port } = await serve(t, echo, { secure: true })
  const trustful = createPublicFetch({
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    mayConnect: () => true,
  })
  t.match(await refusal(t, trustful(`https://files.example:${port}/`)), { code: 'unreachable', maybeSent: false })
  t.match(await refusal(t, fetch(`https://127.0.0.1:${port}/`)), { code: 'unreachable', maybeSent: false })
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const free = (closed.address() as AddressInfo).port
  closed.close()
  const message = 'HOST could not be reached (ECONNREFUSED)'
  t.match(await refusal(t, fetch(`http://files.example:${free}/`)), { message })
})

t.test('a body is streamed with its length, and a signal ends the call', async (t) => {
  const { fetch } = create()
  const { port } = await serve(t, echo)
  const url = `http://files.example:${port}/`
  const chunk = new Uint8Array(100_000).fill(7)
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-length': String(50 * chunk.length) },
    body: ReadableStream.from(Array(50).fill(chunk)),
    duplex: 'half',
  } as RequestInit)
  t.match(response.headers.get('x-method'), / 5000000$/)
  t.equal((await response.arrayBuffer()).byteLength, 5_000_000)

  const silent = await serve(t, () => {})
  const error = await fetch(`http://files.example:${silent.port}/`, { signal: AbortSignal.timeout(100) }).catch(
    (e) => e,
  )
  t.match(unanswered(error, 'HOST'), { code: 'timeout', message: 'HOST did not answer in time', maybeSent: true })
  const stopped = new AbortController()
  const slow = await serve(t, (_, response) => response.writeHead(200).write('a'))
  const half = await fetch(`http://files.example:${slow.port}/`, { signal: stopped.signal })
  stopped.abort()
  await t.rejects(half.text(), { name: 'AbortError' })
})

t.test('the proxies of the environment are not asked', async (t) => {
  const proxy = await serve(t, (_, response) => response.end('proxy'))
  for (const name of ['http_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY']) {
    const before = process.env[name]
    process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`
    t.teardown(() => {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    })
  }
  const { fetch } = create()
  const { port } = await serve(t, (_, response) => response.end('itself'))
  t.equal(await (await fetch(`http://files.example:${port}/`)).text(), 'itself')
  t.equal(proxy.connections(), 0)
})

t.test('without settings, nothing inside is reached', async (t) => {
  const { port, connections } = await serve(t, echo)
  const fetch = createPublicFetch()
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:7f00:1]']) {
    t.strictSame(await refusal(t, fetch(`http://${host}:${port}/`)), UNREACHABLE)
  }
  t.equal(connections(), 0)
})
