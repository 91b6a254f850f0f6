import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { VERSION } from '../../src/base/version.ts'
import { errorResponse, listenForRawRequests, type RawResponse } from '../helpers/raw-requests.ts'

const TIMED_OUT = errorResponse(408, 'Request was not complete in time')

t.test(
  'a body over the limit gets a response, even if the client reads only after it has sent everything',
  async (t) => {
    const { send, get, create, port, ada, assertAlive } = await listenForRawRequests(t)
    const large = 'x'.repeat(2_000_000)
    const responses = await send(
      create(`Content-Length: ${large.length}\r\n`, large) + get('/healthz', 'Connection: close\r\n'),
    )
    t.strictSame(responses, [
      { status: 413, body: { error: 'Request body is larger than 1 MiB' } },
      { status: 200, body: { status: 'ok', version: VERSION } },
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
  const { send, get, create, stored, assertAlive } = await listenForRawRequests(t)
  const slow: [name: string, responses: Promise<RawResponse[]>][] = [
    ['nothing at all', send('')],
    ['half a header', send('GET /healthz HTTP/1.1\r\nHo')],
    ['a header, byte by byte', send(`GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(1_000)}`, { slowly: true })],
    ['half a body', send(create('Content-Length: 500\r\n'))],
    ['a body without end', send(create('Transfer-Encoding: chunked\r\n', '1\r\n{\r\n'))],
  ]
  // No second response follows: a client would take it for the response to its next request.
  const early: [name: string, responses: Promise<RawResponse[]>, status: number][] = [
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
  const { open, get, create, post, stored, assertAlive, log } = await listenForRawRequests(t)
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
  const { open, app, assertAlive } = await listenForRawRequests(t)
  for (const bytes of ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 'garbage\r\n\r\n']) {
    const socket = await open({ allowHalfOpen: true })
    socket.resume()
    socket.write(bytes)
    await once(socket, 'end')
  }
  await assertAlive(t)
  t.ok(app.server.listening)
})

t.test('a connection has at most 100 requests without a response, so that it does not hold up others', async (t) => {
  const { send, get, log, assertAlive } = await listenForRawRequests(t)
  const last = get('/nowhere', 'Connection: close\r\n')
  t.equal((await send(get('/nowhere').repeat(99) + last)).length, 100)
  log.length = 0
  await send(get('/nowhere').repeat(20_000) + last)
  const handled = log.filter((line) => line.includes('"/nowhere"')).length
  t.ok(handled <= 100, `${handled} requests were handled before the connection was closed`)
  await assertAlive(t)
})
