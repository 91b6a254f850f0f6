import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import t, { type Test } from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { createFetch, type Reach } from '../../src/media/fetch.ts'

/**
 * What a hostile URL, name server or web server can do, over sockets. 127.0.0.1 plays the public internet, 127.0.0.2 a
 * network that must not be reached. An error without a listener would end the process of this test.
 */

const OFF_LIMITS = { statusCode: 400, message: 'url does not lead to a public address on the internet' }

/** `test/samples/tls`: valid to 2120, for files.example; the key of the authority was thrown away. */
const sample = (name: string) => readFileSync(new URL(`../samples/tls/${name}`, import.meta.url), 'utf8')
const ca = sample('ca.pem')

type Respond = (socket: Socket, request: string) => unknown

/** A server that answers the first bytes of each connection with `respond`, or with these bytes and the end. */
async function serve(t: Test, answer: Respond | string, { host = '127.0.0.1', port = 0, secure = false } = {}) {
  const requests: string[] = []
  let connections = 0
  const respond = typeof answer === 'string' ? (socket: Socket) => socket.end(answer) : answer
  const onSocket = (socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      requests.push(String(data))
      respond(socket, String(data))
    })
  }
  const pair = sample('server.pem')
  const server = secure ? tls.createServer({ cert: pair, key: pair }, onSocket) : net.createServer(onSocket)
  server.on('connection', () => connections++)
  server.listen(port, host)
  await once(server, 'listening')
  t.teardown(() => server.close())
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    /** No connection is left, though the server itself closes none. */
    async isQuiet(t: Test) {
      const open = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
      for (let attempt = 0; (await open()) !== 0 && attempt < 100; attempt++) await sleep(50)
      t.equal(await open(), 0, 'no connection is left')
    },
  }
}

/** Is there, and must not be talked to. Where a system has no 127.0.0.2, nothing can be. */
async function createCanary(t: Test, port = 0) {
  const server = await serve(t, ok('secret'), { host: '127.0.0.2', port }).catch(() => undefined)
  return { port: server?.port ?? 1, isUntouched: (t: Test) => t.equal(server?.connections() ?? 0, 0, 'canary lives') }
}

const NAMES: Record<string, string[]> = {
  'files.example': ['127.0.0.1'],
  'other.example': ['127.0.0.1'],
  'private.example': ['127.0.0.2'],
  'mixed.example': ['127.0.0.1', '127.0.0.2'],
  'reverse.example': ['127.0.0.2', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'none.example': [],
}

/** `fetch` in that world, and the names that it has looked up. */
function createWorld(reach: Partial<Reach> = {}) {
  const lookups: string[] = []
  const fetch = createFetch({
    async resolve(hostname) {
      lookups.push(hostname)
      const addresses = NAMES[hostname]
      if (!addresses) throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
      return addresses.map((address) => ({ address, family: net.isIP(address) }))
    },
    mayConnect: (address) => address === '127.0.0.1',
    ...reach,
  })
  return { lookups, fetch: (url: string, bytesMax = 1_000_000) => fetch(url, { bytesMax }) }
}

const ok = (body: string, headers = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
const redirect = (location: string, status = 302) =>
  `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n`
const refusal = (port: number, what: string) => ({
  statusCode: 400,
  message: `the server at files.example:${port} ${what}`,
})

/** How it went: the text of the file, or the error, with the status and nothing more to tell than its words. */
async function outcome(file: Promise<Readable>) {
  try {
    return await text(await file)
  } catch (error) {
    const { statusCode, message, details } = error as { statusCode?: number; message: string; details?: unknown }
    return { statusCode, message, ...(details !== undefined && { details }) }
  }
}

t.test('a file is fetched by a plain request, without anything that identifies', async (t) => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
  const server = await serve(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`)
    socket.end(bytes)
  })
  const { fetch, lookups } = createWorld()
  const file = await fetch(`http://files.example:${server.port}/a%20b/ü.png?x=1&y=|#part`)
  t.ok(bytes.equals(await buffer(file)))
  t.strictSame(server.requests[0]?.split('\r\n'), [
    'GET /a%20b/%C3%BC.png?x=1&y=| HTTP/1.1',
    `user-agent: Postroom/${manifest.version}`,
    'accept: image/*, video/*, */*;q=0.1',
    'accept-encoding: identity',
    `Host: files.example:${server.port}`,
    'Connection: close',
    '',
    '',
  ])
  t.ok(bytes.equals(await buffer(await fetch(`http://127.0.0.1:${server.port}/`))), 'by its address')
  t.strictSame(lookups, ['files.example'])
  await server.isQuiet(t)
})

t.test('bodies of every form arrive whole', async (t) => {
  const forms: [name: string, bytes: string, body: string][] = [
    ['with a length', ok('hello'), 'hello'],
    ['of nothing', ok(''), ''],
    ['of exactly the bytes allowed', ok('x'.repeat(1000)), 'x'.repeat(1000)],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n', 'hello'],
    ['up to the end', 'HTTP/1.1 200 OK\r\n\r\nhello', 'hello'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nhello', 'hello'],
    [
      'after interim answers',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n${ok('hello')}`,
      'hello',
    ],
    ['said to be identity', ok('hello', 'Content-Encoding: Identity\r\n'), 'hello'],
    ['with an offer to upgrade', ok('hello', 'Connection: upgrade\r\nUpgrade: h2c\r\n'), 'hello'],
    ['with more after it', `${ok('hello')}${ok('and more')}`, 'hello'],
  ]
  for (const [name, bytes, body] of forms) {
    for (const hangsUp of [true, false]) {
      if (!hangsUp && name.match(/end|1\.0/)) continue
      const server = await serve(t, (socket) => (hangsUp ? socket.end(bytes) : socket.write(bytes)))
      t.equal(await outcome(createWorld().fetch(`http://files.example:${server.port}/`, 1000)), body, name)
      await server.isQuiet(t)
    }
  }
})

t.test('what is no http or https URL is refused for its shape', async (t) => {
  const { fetch, lookups } = createWorld()
  const invalid = (details: object) => ({
    statusCode: 400,
    message: 'Invalid request',
    details: [{ path: ['url'], ...details }],
  })
  const notUrls = [
    '',
    ' ',
    'x',
    'files.example/a.png',
    '/a.png',
    '//files.example/',
    'http://',
    'http://[::1',
    'https://a b/',
  ]
  notUrls.push('http://files.example:99999/', 'http://[::1%25eth0]/', 'http://[fe80::1%eth0]/', 'http://1.2.3.256/')
  for (const url of notUrls) {
    const issue = { code: 'invalid_string', validation: 'url', message: 'Invalid url' }
    t.match(await outcome(fetch(url)), invalid(issue), url)
  }
  for (const url of [
    'ftp://files.example/',
    'file:///etc/passwd',
    'data:image/png;base64,AA',
    'gopher://a/',
    'ws://a/',
    'javascript:1',
    'unix:/var/run/x.sock',
    'blob:http://files.example/x',
  ]) {
    t.match(await outcome(fetch(url)), invalid({ code: 'custom', message: 'Must be an http or https address' }), url)
  }
  for (const url of ['http://ada@files.example/', 'http://ada:lovelace@files.example/', 'http://:x@files.example/']) {
    t.match(await outcome(fetch(url)), invalid({ message: 'Must not hold a user name or password' }), url)
  }
  t.strictSame(lookups, [], 'none was looked up')
})

t.test('by default, no spelling of an address that is not public leads anywhere', async (t) => {
  const canary = await serve(t, ok('secret'))
  const canary6 = await serve(t, ok('secret'), { host: '::1', port: canary.port }).catch(() => undefined)
  let sockets = 0
  const count = () => sockets++
  subscribe('net.client.socket', count)
  t.teardown(() => unsubscribe('net.client.socket', count))

  const hosts = `127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0X7F.0.0.1 0177.0.0.1 017700000001 127.0.0.1. 127.1.
    %31%32%37.0.0.1 127%2e0%2e0%2e1 ①②⑦.⓪.⓪.① １２７。０。０。１ 127。0。0。1 127.0.0.01 0x7f.0.0.0x1 127.255.255.255
    0.0.0.0 0 0.0 00 0x 0x0 0.1.2.3 [::] [::0] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:7F00:0001]
    [::127.0.0.1] [::7f00:1] [::ffff:0:7f00:1] [64:ff9b::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b:1::1] [64:ff9b:1::7f00:1]
    [2002:7f00:1::] [2001::1] [2001:db8::1] [3fff::1] [100::1] [fe80::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] [5f00::1]
    [4000::1] 169.254.169.254 0xa9fea9fe 2852039166 169.254.43518 10.0.0.1 0x0a.1 172.16.0.1 172.31.255.255 192.168.0.1
    192.168.257 100.64.0.1 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255
    4294967295 168.63.129.16 localhost localhost. LOCALHOST ｌｏｃａｌｈｏｓｔ foo.localhost`
  const fetch = createFetch({ resolveMaxMs: 2000 })
  for (const host of hosts.split(/\s+/)) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${canary.port}/`
      t.strictSame(await outcome(fetch(url, { bytesMax: 100 })), OFF_LIMITS, url)
    }
  }
  t.equal(sockets, 0, 'no connection was tried')
  t.equal(canary.connections() + (canary6?.connections() ?? 0), 0)
})

t.test('names are refused in the same words, whether they do not exist or lead inside, even in part', async (t) => {
  const canary = await createCanary(t)
  const { fetch } = createWorld()
  const names = ['private.example', 'mixed.example', 'reverse.example', 'metadata.example', 'none.example', 'x.example']
  for (const name of names) {
    t.strictSame(await outcome(fetch(`http://${name}:${canary.port}/`)), OFF_LIMITS, name)
    t.strictSame(await outcome(fetch(`https://${name}:${canary.port}/`)), OFF_LIMITS, name)
    const server = await serve(t, redirect(`http://${name}:${canary.port}/`))
    t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`)), OFF_LIMITS, `redirect to ${name}`)
    await server.isQuiet(t)
  }
  const never = createWorld({ resolve: () => new Promise(() => {}), resolveMaxMs: 20 })
  t.strictSame(await outcome(never.fetch('http://slow.example/')), OFF_LIMITS, 'a name server that does not answer')
  const failed = Promise.withResolvers<void>()
  const late = createWorld({
    async resolve() {
      await sleep(40)
      failed.resolve()
      throw new Error('late')
    },
    resolveMaxMs: 20,
  })
  t.strictSame(await outcome(late.fetch('http://slow.example/')), OFF_LIMITS, 'a name server that fails later')
  await failed.promise
  canary.isUntouched(t)
})

t.test('a name is looked up once for each request, and the address that was checked is connected to', async (t) => {
  const server = await serve(t, (socket, request) =>
    socket.end(request.startsWith('GET /again ') ? ok('public') : redirect('/again')),
  )
  const canary = await createCanary(t, server.port)
  const answers = ['127.0.0.1', '127.0.0.2']
  const lookups: string[] = []
  const rebinding = createWorld({
    async resolve(hostname) {
      lookups.push(hostname)
      return [{ address: answers[(lookups.length - 1) % 2]!, family: 4 }]
    },
  })
  t.equal(await outcome(rebinding.fetch(`http://rebind.example:${server.port}/again`)), 'public')
  t.strictSame(lookups, ['rebind.example'])
  t.strictSame(await outcome(rebinding.fetch(`http://rebind.example:${server.port}/`)), OFF_LIMITS, 'the second lookup')
  t.equal(lookups.length, 2)
  t.strictSame(await outcome(rebinding.fetch(`http://rebind.example:${server.port}/`)), OFF_LIMITS, 'on the redirect')
  t.equal(lookups.length, 4)
  canary.isUntouched(t)
})

t.test('a host that is reached by one of its addresses only is reached', async (t) => {
  const addresses = ['127.0.0.3', '127.0.0.1', '::1'].map((address) => ({ address, family: net.isIP(address) }))
  const { fetch } = createWorld({ resolve: async () => addresses, mayConnect: () => true, ca })
  for (const secure of [false, true]) {
    const server = await serve(t, ok('hello'), { secure })
    t.equal(await outcome(fetch(`${secure ? 'https' : 'http'}://files.example:${server.port}/`)), 'hello')
    await server.isQuiet(t)
  }
})

t.test('redirects are followed, each as if it was the first request', async (t) => {
  let answer = ''
  const server = await serve(t, (socket, request) => {
    const path = /^GET (\S+) /.exec(request)?.[1]
    socket.end(path === '/a/start?b' ? answer : ok(`file ${path}`))
  })
  const canary = await createCanary(t)
  const { fetch, lookups } = createWorld()
  const via = (location: string, status = 302) => {
    answer = redirect(location, status)
    return outcome(fetch(`http://files.example:${server.port}/a/start?b`))
  }

  for (const status of [301, 302, 303, 307, 308]) t.equal(await via('/x.png', status), 'file /x.png', `${status}`)
  t.equal(lookups.length, 10, 'one lookup for each request')
  const long = `/x?${'y'.repeat(4000)}`
  const targets: [location: string, path: string][] = [
    ['x.png?y#z', '/a/x.png?y'],
    ['../x', '/x'],
    ['?y', '/a/start?y'],
    [`//other.example:${server.port}/x`, '/x'],
    [`http://127.0.0.1:${server.port}/x`, '/x'],
    [`http://0x7f.1:${server.port}/x`, '/x'],
    ['/ü', '/%C3%BC'],
    [long, long],
  ]
  for (const [location, path] of targets) t.equal(await via(location), `file ${path}`, location.slice(0, 50))
  t.notMatch(server.requests.join(''), /cookie|authorization|referer/i)

  const inside = [
    '127.0.0.2',
    '0x7f.2',
    '[::1]',
    '[::ffff:127.0.0.2]',
    '169.254.169.254',
    'localhost',
    'private.example',
  ]
  for (const host of inside) t.strictSame(await via(`http://${host}:${canary.port}/`), OFF_LIMITS, host)
  const unfit = [
    'file:///etc/passwd',
    'ftp://other.example/',
    'data:,x',
    'javascript:1',
    'unix:/x',
    'http://',
    'https://a b/',
  ]
  unfit.push('http://a:b@other.example/', `//ada@other.example:${server.port}/`)
  const refused = refusal(server.port, 'answered 307 without a Location that can be followed')
  for (const location of unfit) t.strictSame(await via(location, 307), refused, location)
  canary.isUntouched(t)
  await server.isQuiet(t)

  const endless = await serve(t, (socket) => {
    socket.write(`HTTP/1.1 302 Found\r\nLocation: http://files.example:${server.port}/x\r\n\r\nhello`)
  })
  t.equal(await outcome(fetch(`http://files.example:${endless.port}/`)), 'file /x', 'its own body is not waited for')
  await endless.isQuiet(t)

  const nowhere = await serve(t, 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n')
  t.strictSame(
    await outcome(fetch(`http://files.example:${nowhere.port}/`)),
    refusal(nowhere.port, 'answered 302 without a Location that can be followed'),
  )
})

t.test('five redirects are followed, not more', async (t) => {
  const server = await serve(t, (socket, request) => {
    const left = Number(/^GET \/(\d+)/.exec(request)?.[1])
    socket.end(left === 0 ? ok('hello') : redirect(left > 9 ? '/10' : `/${left - 1}`))
  })
  const { fetch, lookups } = createWorld()
  const from = (left: number) => outcome(fetch(`http://files.example:${server.port}/${left}`))
  const tooMany = { statusCode: 400, message: 'url is redirected more than 5 times' }
  t.equal(await from(5), 'hello')
  t.strictSame(await from(6), tooMany)
  t.strictSame(await from(10), tooMany, 'a loop')
  t.equal(server.requests.length, 18)
  t.equal(lookups.length, 18)
  await server.isQuiet(t)
})

t.test('https: the certificate is checked for the name, whatever the address', async (t) => {
  const server = await serve(t, ok('hello'), { secure: true })
  const { fetch } = createWorld({ ca })
  t.equal(await outcome(fetch(`https://files.example:${server.port}/`)), 'hello')

  const invalid = (host: string) => ({
    statusCode: 400,
    message: `the server at ${host}:${server.port} has no valid certificate`,
  })
  const url = `https://files.example:${server.port}/`
  for (const host of ['other.example', '127.0.0.1']) {
    t.strictSame(await outcome(fetch(`https://${host}:${server.port}/`)), invalid(host), `not for ${host}`)
  }
  t.strictSame(await outcome(createWorld().fetch(url)), invalid('files.example'), 'from an unknown authority')
  t.equal(server.requests.length, 1, 'nothing is asked of a server without a valid certificate')

  const plain = await serve(t, redirect(url))
  t.equal(await outcome(fetch(`http://files.example:${plain.port}/`)), 'hello', 'redirected to https')
  t.strictSame(
    await outcome(fetch(`https://files.example:${plain.port}/`)),
    refusal(plain.port, 'gave no valid answer'),
    'no TLS there',
  )
  t.strictSame(
    await outcome(fetch(`http://files.example:${server.port}/`)),
    refusal(server.port, 'gave no valid answer'),
    'TLS there',
  )
  await server.isQuiet(t)
})

t.test('https: a body that is cut off is an error', async (t) => {
  const server = await serve(t, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello', { secure: true })
  const { fetch } = createWorld({ ca })
  t.strictSame(await outcome(fetch(`https://files.example:${server.port}/`)), refusal(server.port, 'cut off the file'))
  await server.isQuiet(t)
})

t.test('a file that says to be too large is refused before it is read', async (t) => {
  const server = await serve(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n')
  })
  const { fetch } = createWorld()
  const tooLarge = { statusCode: 413, message: 'File is larger than 1000 bytes' }
  t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`, 1000)), tooLarge)
  await server.isQuiet(t)

  const endless = await serve(t, `HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 53}0\r\n\r\n`)
  t.strictSame(await outcome(fetch(`http://files.example:${endless.port}/`, 1000)), tooLarge)
})

/** One byte each 5 ms, as long as somebody listens. */
const drip = (socket: Socket, begin: string, byte: string) => {
  socket.write(begin)
  const timer = setInterval(() => socket.write(byte), 5)
  socket.on('close', () => clearInterval(timer))
}

t.test('whatever a server answers instead of a file is a 400 in our words', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\n'
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`
  const NO_ANSWER = 'gave no valid answer'
  const CUT_OFF = 'cut off the file'
  const TOO_LONG = 'took too long'
  const statuses = [201, 202, 204, 205, 206, 300, 304, 305, 306, 400, 401, 403, 404, 407, 410, 429, 500, 503, 599, 999]
  const cases: [name: string, answer: string | Respond, what: string][] = [
    ...statuses.map((status): [string, string, string] => [
      `${status}`,
      `HTTP/1.1 ${status} Something\r\nContent-Length: 0\r\nWWW-Authenticate: Basic\r\n\r\n`,
      `answered ${status}`,
    ]),
    ...['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'x'].map((encoding): [string, string, string] => [
      encoding,
      ok('hello', `Content-Encoding: ${encoding}\r\n`),
      'compressed the file',
    ]),
    ['nothing', '', NO_ANSWER],
    ['a reset', (socket) => socket.resetAndDestroy(), NO_ANSWER],
    ['half a header', head, NO_ANSWER],
    ['HTTP/0.9', '<html>hello</html>', NO_ANSWER],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', NO_ANSWER],
    ['an unknown version', 'HTTP/9.9 200 OK\r\n\r\nhello', NO_ANSWER],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\nhello', NO_ANSWER],
    ['no status', 'HTTP/1.1 OK\r\n\r\n', NO_ANSWER],
    ['two lengths', `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, NO_ANSWER],
    ['a negative length', `${head}Content-Length: -1\r\n\r\nhello`, NO_ANSWER],
    ['a length of letters', `${head}Content-Length: x\r\n\r\nhello`, NO_ANSWER],
    ['a length and chunks', `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, NO_ANSWER],
    ['NUL in a header', `${head}X: \0\r\n\r\nhello`, NO_ANSWER],
    ['a header without a colon', `${head}X\r\n\r\nhello`, NO_ANSWER],
    ['long headers', `${head}X: ${'x'.repeat(20_000)}\r\n\r\nhello`, NO_ANSWER],
    ['many headers', `${head}${'name: x\r\n'.repeat(5000)}\r\nhello`, NO_ANSWER],
    ['endless headers', (socket) => drip(socket, head, 'X: y\r\n'), TOO_LONG],
    ['an endless header', (socket) => drip(socket, `${head}X: `, 'y'), TOO_LONG],
    ['endless interim answers', (socket) => drip(socket, '', 'HTTP/1.1 103 Early\r\n\r\n'), TOO_LONG],
    ['silence', () => {}, TOO_LONG],
    ['an interim answer only', 'HTTP/1.1 100 Continue\r\n\r\n', NO_ANSWER],
    [
      'an upgrade',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello'),
      NO_ANSWER,
    ],
    ['an upgrade to nothing', (socket) => socket.write('HTTP/1.1 101 Switching\r\n\r\nhello'), 'answered 101'],
    ['less than its length', `${head}Content-Length: 9\r\n\r\nhello`, CUT_OFF],
    ['nothing of its length', `${head}Content-Length: 9\r\n\r\n`, CUT_OFF],
    ['chunks without an end', `${chunked}5\r\nhello\r\n`, CUT_OFF],
    ['half a chunk', `${chunked}9\r\nhello`, CUT_OFF],
    ['chunks that are none', `${chunked}zz\r\nhello\r\n`, CUT_OFF],
    ['a good chunk, then none', `${chunked}5\r\nhello\r\nzz\r\n`, CUT_OFF],
    ['endless trailers', `${chunked}0\r\n${'name: x\r\n'.repeat(5000)}\r\n`, CUT_OFF],
    ['a reset in a body with a length', reset(`${head}Content-Length: 9\r\n\r\nhello`), CUT_OFF],
    ['a reset in chunks', reset(`${chunked}5\r\nhello\r\n`), CUT_OFF],
    ['a reset in a body up to the end', reset(`${head}\r\nhello`), CUT_OFF],
    ['a body that stops', (socket) => socket.write(`${head}Content-Length: 9\r\n\r\nhello`), TOO_LONG],
    ['a body that never begins', (socket) => socket.write(`${head}\r\n`), TOO_LONG],
    ['a body that drips', (socket) => drip(socket, `${head}\r\n`, 'y'), TOO_LONG],
    ['chunks that drip', (socket) => drip(socket, chunked, '1\r\ny\r\n'), TOO_LONG],
    ['a chunk extension that drips', (socket) => drip(socket, `${chunked}1;`, 'y'), TOO_LONG],
  ]
  for (const [name, answer, what] of cases) {
    const { fetch } = createWorld(what === TOO_LONG ? { answerMaxMs: 200, stallMaxMs: 200 } : {})
    const server = await serve(t, answer)
    t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`)), refusal(server.port, what), name)
    await server.isQuiet(t)
  }
})

/** Sends `bytes`, and resets the connection when the client, in the same event loop, has had its turn to read them. */
function reset(bytes: string): Respond {
  return async (socket) => {
    socket.write(bytes)
    await sleep(20)
    await setImmediate()
    await setImmediate()
    socket.resetAndDestroy()
  }
}

t.test('a server that is not there could not be reached', async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  for (const scheme of ['http', 'https']) {
    const url = `${scheme}://files.example:${port}/`
    t.strictSame(await outcome(createWorld().fetch(url)), refusal(port, 'could not be reached'), scheme)
  }
  const several = createWorld({
    resolve: async () => ['127.0.0.1', '127.0.0.3'].map((address) => ({ address, family: 4 })),
    mayConnect: () => true,
  })
  t.strictSame(await outcome(several.fetch(`http://files.example:${port}/`)), refusal(port, 'could not be reached'))
})

t.test('TLS that never finishes takes too long', async (t) => {
  const server = await serve(t, () => {})
  const { fetch } = createWorld({ answerMaxMs: 100 })
  t.strictSame(await outcome(fetch(`https://files.example:${server.port}/`)), refusal(server.port, 'took too long'))
  await server.isQuiet(t)
})

t.test('the whole file has to come within its time, at whatever speed', async (t) => {
  const server = await serve(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('x'.repeat(20_000)), 5)
    socket.on('close', () => clearInterval(timer))
  })
  const { fetch } = createWorld({ totalMaxMs: 300 })
  t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`)), refusal(server.port, 'took too long'))
  await server.isQuiet(t)
  const unread = await fetch(`http://files.example:${server.port}/`)
  await server.isQuiet(t)
  t.match(unread.errored, { statusCode: 400 }, 'also when nobody reads it')
})

t.test('a reader that is slower than the server does not count as a stall of the server', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const PIECE = 4_000
  let write!: (bytes: string) => void
  const server = await serve(t, (socket) => {
    write = (bytes) => socket.write(bytes)
    write('HTTP/1.1 200 OK\r\n\r\n')
  })
  const open = async () => {
    const file = (await createWorld().fetch(`http://files.example:${server.port}/`)) as PassThrough
    let arrived = 0
    const emit = file.write.bind(file) as (chunk: Buffer) => boolean
    file.write = (chunk: Buffer) => {
      arrived += chunk.length
      return emit(chunk)
    }
    const send = async (bytes: number) => {
      for (const end = arrived + bytes; arrived < end; ) {
        const next = arrived + PIECE
        write('x'.repeat(PIECE))
        while (arrived < next) await sleep(1)
      }
    }
    return { file, send, nextWindow: () => mock.timers.tick(15_000) }
  }

  const first = await open()
  let held = 0
  for (; !first.file.writableNeedDrain; held += PIECE) await first.send(PIECE)
  for (let window = 0; window < 5; window++) first.nextWindow()
  t.equal(first.file.errored, null, 'held back all the time')
  first.file.destroy()

  const { file, send, nextWindow } = await open()
  await send(held - 2 * PIECE)
  nextWindow()
  await send(2 * PIECE)
  t.ok(file.writableNeedDrain)
  file.resume()
  while (file.writableNeedDrain) await sleep(1)
  nextWindow()
  t.equal(file.errored, null, 'held back for a part of the time')
  await send(5 * PIECE)
  nextWindow()
  t.equal(file.errored, null, 'enough has come')
  await send(PIECE)
  nextWindow()
  t.match(file.errored, refusal(server.port, 'took too long'), 'too little has come')
  await server.isQuiet(t)
})

t.test('destroying the stream closes the connection, before and while it is read', async (t) => {
  const server = await serve(t, (socket) => {
    const write = (): unknown => socket.write('x'.repeat(20_000)) && setImmediate().then(write)
    socket.on('drain', write)
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    write()
  })
  const { fetch } = createWorld()
  const url = `http://files.example:${server.port}/`
  ;(await fetch(url)).destroy()
  await server.isQuiet(t)
  const file = await fetch(url)
  for await (const _chunk of file) break
  t.ok(file.destroyed)
  await server.isQuiet(t)
  const failing = await fetch(url)
  failing.destroy(new Error('the disk is full'))
  await server.isQuiet(t)
})

t.test('an error that came before anybody read is met by the reader', async (t) => {
  const server = await serve(t, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello')
  const file = await createWorld().fetch(`http://files.example:${server.port}/`)
  await server.isQuiet(t)
  while (!file.destroyed) await sleep(10)
  t.match(await outcome(Promise.resolve(file)), { statusCode: 400, message: /cut off the file$/ })
})

t.test('the environment changes nothing: no proxy, no leave for bad certificates, and the process ends', async (t) => {
  const server = await serve(t, ok('hello'))
  const secure = await serve(t, ok('hello'), { secure: true })
  const proxy = await serve(t, ok('proxied'))
  const script = `
    import { text } from 'node:stream/consumers'
    import { createFetch } from ${JSON.stringify(new URL('../../src/media/fetch.ts', import.meta.url).href)}
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const times = { resolveMaxMs: 600_000, answerMaxMs: 600_000, stallMaxMs: 600_000, totalMaxMs: 600_000 }
    const fetch = createFetch({ resolve, mayConnect: () => true, ...times })
    for (const url of ['http://files.example:${server.port}/', 'https://files.example:${secure.port}/']) {
      console.log(await fetch(url, { bytesMax: 9 }).then(text, (error) => error.message))
    }
  `
  const address = `http://127.0.0.1:${proxy.port}`
  const env = {
    ...{ ...process.env, NODE_USE_ENV_PROXY: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0', NO_PROXY: '', no_proxy: '' },
    ...{ HTTP_PROXY: address, http_proxy: address, HTTPS_PROXY: address, https_proxy: address, ALL_PROXY: address },
  }
  // A timer or connection that is left keeps the process for ten minutes.
  const options = { env, stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'], timeout: 60_000 }
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], options)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  t.equal(output, `hello\nthe server at files.example:${secure.port} has no valid certificate\n`)
  t.equal(code, 0)
  t.equal(proxy.connections(), 0)
})
