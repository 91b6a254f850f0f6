import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { ERROR_CODES } from '../../schemas/error-codes.ts'
import { createWorld } from '../helpers/app.ts'
import { until } from '../helpers/until.ts'

/**
 * Requests that no HTTP library lets a client send, over a raw socket. A crash of the service would end the process of
 * this test.
 */

interface Response {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape here
  body: any
}

async function createTarget(t: Test) {
  const log: string[] = []
  const { app, user, db } = await createWorld(t, { logger: { stream: { write: (line) => log.push(line) } } })
  const ada = await user()
  const account = await ada.account('bluesky')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  const open = async (options: Partial<net.NetConnectOpts> = {}) => {
    const socket = net.connect({ port, host: '127.0.0.1', ...options })
    socket.on('error', () => {})
    t.teardown(async () => socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  /** Sends bytes, together or one every 200 ms. Returns the responses once the service has closed the connection. */
  const send = async (bytes: string | Buffer, { slowly = false, thenEnd = false } = {}): Promise<Response[]> => {
    const socket = await open()
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    if (slowly) {
      const text = bytes[Symbol.iterator]()
      const timer = setInterval(() => socket.write(String(text.next().value ?? 'x')), 200)
      closed.then(() => clearInterval(timer))
    } else socket.write(bytes)
    if (thenEnd) socket.end()
    await closed
    return readResponses(Buffer.concat(received))
  }

  const auth = `Authorization: Bearer ${ada.key}\r\n`
  const post = JSON.stringify({ accountIds: [account], caption: 'hello' })
  return {
    ...{ app, log, port, ada, open, send, auth, post },
    get: (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${auth}${headers}\r\n`,
    create: (headers: string, body = post) =>
      `POST /api/v1/posts HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`,
    stored: () => db.selectFrom('posts').select('id').execute(),
    /** Fails unless the service responds and closes all idle connections. */
    async assertAlive(t: Test, name = 'the service responds') {
      const ready = await send('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      t.strictSame(ready, [{ status: 200, body: { status: 'ok' } }], name)
      const connections = () =>
        new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))
      await until('all connections are closed', connections, { isMet: (count) => count === 0 })
    },
  }
}

/** Parses the HTTP responses in `bytes`. Throws for anything but complete JSON responses. */
function readResponses(bytes: Buffer): Response[] {
  const responses: Response[] = []
  let rest = bytes.toString()
  while (rest !== '') {
    const [, status, head] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n/s.exec(rest) ?? []
    if (status === '100') {
      responses.push({ status: 100, body: undefined })
      rest = rest.slice(rest.indexOf('\r\n\r\n') + 4)
      continue
    }
    const length = Number(/^content-length: (\d+)$/im.exec(head ?? '')?.[1])
    if (!(length >= 0)) throw new Error(`Response without a length: ${rest.slice(0, 300)}`)
    if (!/^content-type: application\/json/im.test(head ?? '')) throw new Error(`Not JSON: ${rest.slice(0, 300)}`)
    const code = /^x-error-code: (\w+)\r?$/im.exec(head ?? '')?.[1]
    if (Number(status) >= 400 ? !Object.hasOwn(ERROR_CODES, code ?? '') : code !== undefined) {
      throw new Error(`x-error-code is ${code}: ${rest.slice(0, 300)}`)
    }
    const start = rest.indexOf('\r\n\r\n') + 4
    responses.push({ status: Number(status), body: JSON.parse(rest.slice(start, start + length)) })
    rest = rest.slice(start + length)
  }
  return responses
}

const failed = (status: number, error: string): Response[] => [{ status, body: { error } }]
const MALFORMED = failed(400, 'Malformed HTTP request')
const TIMED_OUT = failed(408, 'Request was not complete in time')
const TOO_LONG = failed(431, 'Request headers are larger than 16 KiB')

t.test('bytes that are not an HTTP request get one JSON response, and the connection is closed', async (t) => {
  const { send, auth, assertAlive } = await createTarget(t)
  const host = 'Host: a\r\n'
  const cases: [name: string, bytes: string | Buffer, responses: Response[]][] = [
    ['garbage', 'hello\r\n\r\n', MALFORMED],
    ['bytes', Buffer.from([0, 1, 2, 3, 254, 255]), MALFORMED],
    ['a TLS hello', Buffer.from(`16030100a5010000a10303${'00'.repeat(50)}`, 'hex'), MALFORMED],
    ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', MALFORMED],
    ['a PROXY line', 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET /healthz HTTP/1.1\r\n\r\n', MALFORMED],
    ['an unknown method', `FOO /healthz HTTP/1.1\r\n${host}\r\n`, MALFORMED],
    ['a method in lower case', `get /healthz HTTP/1.1\r\n${host}\r\n`, MALFORMED],
    ['an unknown version', `GET /healthz HTTP/1.2\r\n${host}\r\n`, MALFORMED],
    ['lines that end in LF', 'GET /healthz HTTP/1.1\nHost: a\n\n', MALFORMED],
    ['NUL in the path', `GET /heal\0thz HTTP/1.1\r\n${host}\r\n`, MALFORMED],
    ['NUL in a header', `GET /healthz HTTP/1.1\r\n${host}X: \0\r\n\r\n`, MALFORMED],
    ['bytes in the path', Buffer.from(`DELETE /api/v1/posts/\xff\xfe HTTP/1.1\r\n${host}\r\n`, 'latin1'), MALFORMED],
    ['a space in the path', `GET /healthz x HTTP/1.1\r\n${host}\r\n`, MALFORMED],
    ['a space before the colon', `GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n`, MALFORMED],
    ['a folded header', `GET /healthz HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`, MALFORMED],
    ['a header over 16 KB', `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(17_000)}\r\n\r\n`, TOO_LONG],
    ['many headers', `GET /healthz HTTP/1.1\r\n${host}${'a: b\r\n'.repeat(3_000)}\r\n`, TOO_LONG],
    ['a path over 16 KB', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\n${host}\r\n`, TOO_LONG],
    ['no Host', `GET /api/v1/posts HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`, failed(400, 'Missing Host header')],
    ['no Host, no route', 'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n', failed(400, 'Missing Host header')],
    ['HTTP/0.9', 'GET /\r\n\r\n', failed(404, 'Not found')],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, failed(404, 'Not found')],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`, failed(404, 'Not found')],
    [
      'CONNECT and more',
      `CONNECT a:443 HTTP/1.1\r\n${host}\r\nGET / HTTP/1.1\r\n${host}\r\n`,
      failed(404, 'Not found'),
    ],
    [
      'bytes for a key',
      Buffer.from(
        `GET /api/v1/posts HTTP/1.1\r\n${host}Authorization: Bearer \xff\xfe\r\nConnection: close\r\n\r\n`,
        'latin1',
      ),
      failed(401, 'Invalid API key'),
    ],
    [
      'two keys, of which the first counts',
      `GET /api/v1/posts HTTP/1.1\r\n${host}Authorization: Bearer x\r\n${auth}Connection: close\r\n\r\n`,
      failed(401, 'Invalid API key'),
    ],
  ]
  for (const [name, bytes, responses] of cases) t.strictSame(await send(bytes), responses, name)
  t.strictSame(await send('GET /healthz HTT', { thenEnd: true }), MALFORMED, 'half a request')
  t.strictSame(await send('', { thenEnd: true }), [], 'a connection without a request')
  await assertAlive(t)
})

t.test('a request with an ambiguous or invalid body length is rejected, and nothing of it is served', async (t) => {
  const { send, create, post, auth, stored, assertAlive } = await createTarget(t)
  const length = post.length
  const smuggled = `0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n`
  const cases: [name: string, bytes: string][] = [
    ['length and chunked', create(`Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`, smuggled)],
    ['chunked and length', create(`Transfer-Encoding: chunked\r\nContent-Length: 3\r\n`, smuggled)],
    ['two lengths', create(`Content-Length: ${length}\r\nContent-Length: 3\r\n`)],
    ['one length twice', create(`Content-Length: ${length}\r\nContent-Length: ${length}\r\n`)],
    ['a list of lengths', create(`Content-Length: ${length}, ${length}\r\n`)],
    ['a signed length', create(`Content-Length: +${length}\r\n`)],
    ['a negative length', create(`Content-Length: -1\r\n`)],
    ['a hexadecimal length', create(`Content-Length: 0x10\r\n`)],
    ['a length beyond all numbers', create(`Content-Length: ${'9'.repeat(30)}\r\n`)],
    ['an unknown encoding', create('Transfer-Encoding: xchunked\r\n', smuggled)],
    ['an encoding that is not chunked', create('Transfer-Encoding: gzip\r\n', smuggled)],
    ['chunked before another', create('Transfer-Encoding: chunked, identity\r\n', smuggled)],
    ['two encodings', create('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', smuggled)],
    ['a space before the colon', create('Transfer-Encoding : chunked\r\n', smuggled)],
    ['a chunk without a size', create('Transfer-Encoding: chunked\r\n', 'zz\r\nhello\r\n0\r\n\r\n')],
    ['a chunk of another size', create('Transfer-Encoding: chunked\r\n', '2\r\n{}x\r\n0\r\n\r\n')],
    ['a chunk beyond all numbers', create('Transfer-Encoding: chunked\r\n', `${'f'.repeat(20)}\r\n`)],
    ['an endless chunk extension', create('Transfer-Encoding: chunked\r\n', `1;${'x'.repeat(20_000)}\r\n{\r\n`)],
    ['chunks that end in LF', create('Transfer-Encoding: chunked\r\n', '1\n{\n0\n\n')],
    ['more than the length', create('Content-Length: 5\r\n')],
    [
      'chunked garbage to DELETE',
      `DELETE /api/v1/posts/x HTTP/1.1\r\nHost: a\r\n${auth}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ]
  for (const [name, bytes] of cases) t.strictSame(await send(bytes), MALFORMED, name)
  t.strictSame(await send(create('Content-Length: 500\r\n'), { thenEnd: true }), MALFORMED, 'less than the length')
  t.strictSame(await stored(), [])
  await assertAlive(t)
})

t.test('unusual but valid HTTP is served', async (t) => {
  const { send, get, create, post, auth, stored, assertAlive } = await createTarget(t)
  const close = 'Connection: close\r\n'
  const whole = `Content-Length: ${post.length}\r\n`
  const chunks = `1\r\n${post[0]}\r\n${(post.length - 1).toString(16)};ext=1\r\n${post.slice(1)}\r\n0\r\n`
  const cases: [name: string, bytes: string, statuses: number[]][] = [
    ['HTTP/1.0 without Host', `GET /api/v1/posts HTTP/1.0\r\n${auth}\r\n`, [200]],
    ['an absolute URL', get('http://elsewhere.example/api/v1/posts', close), [200]],
    ['a request to upgrade', get('/healthz', `${close.trim()}, Upgrade\r\nUpgrade: websocket\r\n`), [200]],
    ['Expect: 100-continue', create(`Expect: 100-continue\r\n${whole}${close}`), [100, 201]],
    ['chunks', create(`Transfer-Encoding: chunked\r\n${close}`, `${chunks}\r\n`), [201]],
    ['trailers', create(`Transfer-Encoding: chunked\r\n${close}`, `${chunks}Authorization: Bearer x\r\n\r\n`), [201]],
    [
      'GET with a body',
      get('/api/v1/accounts', `${close}Content-Length: 3\r\nContent-Type: application/json\r\n`).concat('{,}'),
      [200],
    ],
    [
      'pipelined requests',
      get('/api/v1/accounts').repeat(3) + create(whole) + get('/nowhere') + get('/healthz', close),
      [200, 200, 200, 201, 404, 200],
    ],
    ['a request after a rejected one', create('Content-Length: 1\r\n', '{') + get('/healthz', close), [400, 200]],
  ]
  for (const [name, bytes, statuses] of cases) {
    t.strictSame(
      (await send(bytes)).map(({ status }) => status),
      statuses,
      name,
    )
  }
  t.equal((await stored()).length, 4)
  const refused = await send(create(`Expect: 200-ok\r\n${whole}${close}`))
  t.strictSame(refused, failed(417, 'Expectation failed'), 'an unknown expectation')
  t.equal((await stored()).length, 4)
  await assertAlive(t)
})

t.test(
  'a body over the limit gets a response, even if the client reads only after it has sent everything',
  async (t) => {
    const { send, get, create, port, ada, assertAlive } = await createTarget(t)
    const large = 'x'.repeat(2_000_000)
    const responses = await send(
      create(`Content-Length: ${large.length}\r\n`, large) + get('/healthz', 'Connection: close\r\n'),
    )
    t.strictSame(responses, [
      { status: 413, body: { error: 'Request body is larger than 1 MiB' } },
      { status: 200, body: { status: 'ok' } },
    ])
    const upload = async (authorization: string, type: string) => {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/posts`, {
        method: 'POST',
        headers: { authorization, 'content-type': type, connection: 'close' },
        body: ' '.repeat(30_000_000),
      })
      return { status: reply.status, body: await reply.json() }
    }
    for (let attempt = 0; attempt < 3; attempt++) {
      t.hasStrict(await upload(`Bearer ${ada.key}`, 'application/json'), { status: 413 })
      t.hasStrict(await upload(`Bearer ${ada.key}`, 'text/plain'), { status: 400 })
      t.hasStrict(await upload('Bearer x', 'application/json'), { status: 401 })
    }
    await assertAlive(t)
  },
)

t.test('slow clients get a 408 and are disconnected, at every step of a request', async (t) => {
  const { send, get, create, stored, assertAlive } = await createTarget(t)
  const slow: [name: string, responses: Promise<Response[]>][] = [
    ['nothing at all', send('')],
    ['half a header', send('GET /healthz HTTP/1.1\r\nHo')],
    ['a header, byte by byte', send(`GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(1_000)}`, { slowly: true })],
    ['half a body', send(create('Content-Length: 500\r\n'))],
    ['a body without end', send(create('Transfer-Encoding: chunked\r\n', '1\r\n{\r\n'))],
  ]
  // No second response follows: a client would take it for the response to its next request.
  const early: [name: string, responses: Promise<Response[]>, status: number][] = [
    ['no key', send('POST /api/v1/posts HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx'), 401],
    ['no body wanted', send('DELETE /api/v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx'), 404],
    ['no such expectation', send('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 9\r\n\r\nx'), 417],
  ]
  const [first, ...rest] = await send(`${get('/healthz')}GET /heal`)
  t.equal(first?.status, 200)
  t.strictSame(rest, TIMED_OUT, 'half a second request')
  const [refused, ...later] = await send(`${get('/healthz', 'Expect: x\r\n')}GET /heal`)
  t.equal(refused?.status, 417)
  t.strictSame(later, TIMED_OUT, 'half a second request, after a rejected one')
  for (const [name, responses] of slow) t.strictSame(await responses, TIMED_OUT, name)
  for (const [name, responses, status] of early) {
    t.strictSame(
      (await responses).map((response) => response.status),
      [status],
      name,
    )
  }
  t.strictSame(await stored(), [])
  await assertAlive(t)
})

t.test('clients that close or reset the connection at any moment leave nothing behind', async (t) => {
  const { open, get, create, post, stored, assertAlive, log } = await createTarget(t)
  const whole = create(`Content-Length: ${post.length}\r\n`)
  const moments: [name: string, bytes: string][] = [
    ['before the first byte', ''],
    ['in a header', get('/healthz').slice(0, 20)],
    ['in a body', whole.slice(0, -5)],
    ['in a chunk', create('Transfer-Encoding: chunked\r\n', '9\r\n{')],
    ['after CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['after garbage', 'garbage\r\n\r\n'],
    ['after headers over the limit', `GET / HTTP/1.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['before a large response', get('/docs/static/swagger-ui-bundle.js')],
    ['before many responses', get('/api/v1/posts').repeat(20)],
    ['after an expectation', create('Expect: x\r\nContent-Length: 5\r\n', '')],
    ['after a request to upgrade', get('/healthz', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')],
  ]
  for (const [name, bytes] of moments) {
    for (const wait of [0, 0, 0, 1, 2, 5, 10]) {
      const [reset, gone] = [await open(), await open()]
      reset.write(bytes)
      gone.write(bytes)
      if (wait) await sleep(wait)
      reset.resetAndDestroy()
      gone.destroy()
    }
    await assertAlive(t, name)
  }
  t.strictSame(await stored(), [], 'no partial post is stored')
  t.notMatch(log.join(''), /request failed|"status":50\d/, 'no failure is logged')
})

t.test('a rejected connection is closed even if the client never closes its side', async (t) => {
  const { open, app, assertAlive } = await createTarget(t)
  for (const bytes of ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'garbage\r\n\r\n']) {
    const socket = await open({ allowHalfOpen: true } as never)
    socket.resume()
    socket.write(bytes)
    await once(socket, 'end')
  }
  await assertAlive(t)
  t.ok(app.server.listening)
})
