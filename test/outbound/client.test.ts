import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import net, { type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { connectionError } from '../../src/platforms/wire/call-network.ts'

/* 127.0.0.1 stands for the public internet, 127.0.0.2 for a network that must not be reached. */

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

/** A server that must not be connected to. On a system without 127.0.0.2, nothing can be reached there anyway. */
const serveCanary = (t: Test, port: number) =>
  serve(t, (_, response) => response.end('inside'), { host: '127.0.0.2', port }).catch(() => ({ connections: () => 0 }))

const NAMES: Record<string, string[]> = {
  'files.example': ['127.0.0.1'],
  'private.example': ['127.0.0.2'],
  'mixed.example': ['127.0.0.1', '127.0.0.2'],
  'none.example': [],
}

function create() {
  const lookups: string[] = []
  const { fetch } = createPublicClient({
    async resolve(hostname) {
      lookups.push(hostname)
      const addresses = NAMES[hostname]
      if (!addresses) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
      return addresses.map((address) => ({ address, family: net.isIP(address) }))
    },
    isAllowed: (address) => address === '127.0.0.1',
    ca: sample('ca.pem'),
  })
  return { fetch, lookups }
}

const echo: RequestListener = async (request, response) => {
  const body = Buffer.concat(await request.toArray())
  response.setHeader('x-method', `${request.method} ${request.headers.host} ${request.headers['content-length']}`)
  response.end(body)
}

/** The message for the account's owner; HOST stands for the host. */
async function refusal(t: Test, attempt: Promise<unknown>): Promise<object> {
  const error = (await attempt.then(
    () => undefined,
    (error) => error,
  )) as Error
  t.ok(error instanceof TypeError, String(error))
  const { message, code, maybeSent, retryable } = connectionError(error, 'HOST')
  return { message, code, maybeSent, retryable }
}

const UNREACHABLE = {
  message: 'HOST does not resolve to a public address: check its spelling (ENOTFOUND)',
  code: 'unreachable',
  maybeSent: false,
  retryable: true,
}

t.test('a public name is called with http and https', async (t) => {
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
  t.equal((await fetch(new URL(`http://127.0.0.1:${port}/`))).status, 200, 'by IP address')
})

t.test('a private address is not connected to, and fails like a name that does not exist', async (t) => {
  const { fetch } = create()
  const { port, connections } = await serve(t, echo)
  const canary = await serveCanary(t, port)
  const hosts = ['private.example', 'mixed.example', 'none.example', 'unknown.example', '127.0.0.2', '[::1]', '0.0.0.0']
  const others = ['2130706434', '0x7f.2', '169.254.169.254', '[::ffff:127.0.0.2]', 'localhost']
  for (const host of [...hosts, ...others]) {
    for (const protocol of ['http', 'https']) {
      const attempt = fetch(`${protocol}://${host}:${port}/`, { method: 'POST', body: 'x' })
      t.strictSame(await refusal(t, attempt), UNREACHABLE, `${protocol}://${host}`)
    }
  }
  t.equal(canary.connections(), 0)
  t.equal(connections(), 0, 'not even if one of the addresses is public')
})

t.test('a redirect to a private address is not followed', async (t) => {
  const { fetch } = create()
  for (const host of ['private.example', '127.0.0.2']) {
    const { port } = await serve(t, (_, response) => {
      response.writeHead(302, { location: `http://${host}:${port}/` }).end()
    })
    const canary = await serveCanary(t, port)
    t.strictSame(await refusal(t, fetch(`http://files.example:${port}/`)), UNREACHABLE)
    t.equal((await fetch(`http://files.example:${port}/`, { redirect: 'manual' })).status, 302)
    t.equal(canary.connections(), 0)
  }
})

t.test('a name is looked up for each connection, and the checked address is connected to', async (t) => {
  const { port } = await serve(t, (_, response) => response.setHeader('connection', 'close').end('outside'))
  const canary = await serveCanary(t, port)
  const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.1']
  const { fetch } = createPublicClient({
    resolve: async () => [{ address: addresses.shift()!, family: 4 }],
    isAllowed: (address) => address === '127.0.0.1',
  })
  const url = `http://files.example:${port}/`
  t.equal(await (await fetch(url)).text(), 'outside')
  t.strictSame(await refusal(t, fetch(url)), UNREACHABLE)
  t.equal(await (await fetch(url)).text(), 'outside')
  t.equal(canary.connections(), 0)
})

t.test('nothing is sent to a server that is not running, or has no valid certificate', async (t) => {
  const { fetch } = create()
  const { port } = await serve(t, echo, { secure: true })
  const { fetch: withoutCa } = createPublicClient({
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: () => true,
  })
  t.match(await refusal(t, withoutCa(`https://files.example:${port}/`)), { code: 'unreachable', maybeSent: false })
  t.match(await refusal(t, fetch(`https://127.0.0.1:${port}/`)), { code: 'unreachable', maybeSent: false })
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const free = (closed.address() as AddressInfo).port
  closed.close()
  const message = 'HOST could not be reached (ECONNREFUSED)'
  t.strictSame(await refusal(t, fetch(`http://files.example:${free}/`)), { ...UNREACHABLE, message })
})

t.test('a body is streamed with its length, and a signal aborts the call', async (t) => {
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
  t.match(connectionError(error, 'HOST'), { code: 'timeout', message: 'HOST did not respond in time', maybeSent: true })
  const stopped = new AbortController()
  const slow = await serve(t, (_, response) => response.writeHead(200).write('a'))
  const half = await fetch(`http://files.example:${slow.port}/`, { signal: stopped.signal })
  stopped.abort()
  await t.rejects(half.text(), { name: 'AbortError' })
})

t.test('the proxies of the environment are ignored', async (t) => {
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
  const { port } = await serve(t, (_, response) => response.end('direct'))
  t.equal(await (await fetch(`http://files.example:${port}/`)).text(), 'direct')
  t.equal(proxy.connections(), 0)
})

t.test('by default, loopback addresses are not reached', async (t) => {
  const { port, connections } = await serve(t, echo)
  const { fetch } = createPublicClient()
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:7f00:1]']) {
    t.strictSame(await refusal(t, fetch(`http://${host}:${port}/`)), UNREACHABLE)
  }
  t.equal(connections(), 0)
})
