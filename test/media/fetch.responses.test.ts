import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { ca, createWorld, ok, outcome, type Respond, redirect, refusal, serve } from './fetch-scene.ts'

t.test('https: the certificate is checked against the name', async (t) => {
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
  t.equal(server.requests.length, 1, 'no request is sent to a server without a valid certificate')

  const plain = await serve(t, redirect(url))
  t.equal(await outcome(fetch(`http://files.example:${plain.port}/`)), 'hello', 'redirected to https')
  t.strictSame(
    await outcome(fetch(`https://files.example:${plain.port}/`)),
    refusal(plain.port, 'sent no valid response'),
    'https to a server without TLS',
  )
  t.strictSame(
    await outcome(fetch(`http://files.example:${server.port}/`)),
    refusal(server.port, 'sent no valid response'),
    'http to a server with TLS',
  )
  await server.untilClosed()
})

t.test('https: a body that is cut off is an error', async (t) => {
  const server = await serve(t, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello', { secure: true })
  const { fetch } = createWorld({ ca })
  t.strictSame(await outcome(fetch(`https://files.example:${server.port}/`)), refusal(server.port, 'cut off the file'))
  await server.untilClosed()
})

/** Sends `begin`, and then `byte` every 5 ms until the connection closes. */
const drip = (socket: Socket, begin: string, byte: string) => {
  socket.write(begin)
  const timer = setInterval(() => socket.write(byte), 5)
  socket.on('close', () => clearInterval(timer))
}

t.test('every response that is not a file is a 400 with a message of our own', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\n'
  const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`
  const NO_RESPONSE = 'sent no valid response'
  const CUT_OFF = 'cut off the file'
  const TOO_LONG = 'took too long'
  const statuses = [201, 202, 204, 205, 206, 300, 304, 305, 306, 400, 401, 403, 404, 407, 410, 429, 500, 503, 599, 999]
  const cases: [name: string, response: string | Respond, problem: string][] = [
    ...statuses.map((status): [string, string, string] => [
      `${status}`,
      `HTTP/1.1 ${status} Something\r\nContent-Length: 0\r\nWWW-Authenticate: Basic\r\n\r\n`,
      `responded with ${status}`,
    ]),
    ...['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'x'].map((encoding): [string, string, string] => [
      encoding,
      ok('hello', `Content-Encoding: ${encoding}\r\n`),
      'compressed the file',
    ]),
    ['nothing', '', NO_RESPONSE],
    ['a reset', (socket) => socket.resetAndDestroy(), NO_RESPONSE],
    ['half a header', head, NO_RESPONSE],
    ['HTTP/0.9', '<html>hello</html>', NO_RESPONSE],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', NO_RESPONSE],
    ['an unknown version', 'HTTP/9.9 200 OK\r\n\r\nhello', NO_RESPONSE],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\nhello', NO_RESPONSE],
    ['no status', 'HTTP/1.1 OK\r\n\r\n', NO_RESPONSE],
    ['two lengths', `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`, NO_RESPONSE],
    ['a negative length', `${head}Content-Length: -1\r\n\r\nhello`, NO_RESPONSE],
    ['a length of letters', `${head}Content-Length: x\r\n\r\nhello`, NO_RESPONSE],
    ['a length and chunks', `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, NO_RESPONSE],
    ['NUL in a header', `${head}X: \0\r\n\r\nhello`, NO_RESPONSE],
    ['a header without a colon', `${head}X\r\n\r\nhello`, NO_RESPONSE],
    ['long headers', `${head}X: ${'x'.repeat(20_000)}\r\n\r\nhello`, NO_RESPONSE],
    ['many headers', `${head}${'name: x\r\n'.repeat(5000)}\r\nhello`, NO_RESPONSE],
    ['endless headers', (socket) => drip(socket, head, 'X: y\r\n'), TOO_LONG],
    ['an endless header', (socket) => drip(socket, `${head}X: `, 'y'), TOO_LONG],
    ['endless interim responses', (socket) => drip(socket, '', 'HTTP/1.1 103 Early\r\n\r\n'), TOO_LONG],
    ['silence', () => {}, TOO_LONG],
    ['an interim response only', 'HTTP/1.1 100 Continue\r\n\r\n', NO_RESPONSE],
    [
      'an upgrade',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello'),
      NO_RESPONSE,
    ],
    ['an upgrade to nothing', (socket) => socket.write('HTTP/1.1 101 Switching\r\n\r\nhello'), 'responded with 101'],
    ['less than its length', `${head}Content-Length: 9\r\n\r\nhello`, CUT_OFF],
    ['nothing of its length', `${head}Content-Length: 9\r\n\r\n`, CUT_OFF],
    ['chunks without an end', `${chunked}5\r\nhello\r\n`, CUT_OFF],
    ['half a chunk', `${chunked}9\r\nhello`, CUT_OFF],
    ['invalid chunks', `${chunked}zz\r\nhello\r\n`, CUT_OFF],
    ['a valid chunk, then an invalid one', `${chunked}5\r\nhello\r\nzz\r\n`, CUT_OFF],
    ['endless trailers', `${chunked}0\r\n${'name: x\r\n'.repeat(5000)}\r\n`, CUT_OFF],
    ['a reset in a body with a length', reset(`${head}Content-Length: 9\r\n\r\nhello`), CUT_OFF],
    ['a reset in chunks', reset(`${chunked}5\r\nhello\r\n`), CUT_OFF],
    ['a reset in a body without a length', reset(`${head}\r\nhello`), CUT_OFF],
    ['a body that stops', (socket) => socket.write(`${head}Content-Length: 9\r\n\r\nhello`), TOO_LONG],
    ['a body that never begins', (socket) => socket.write(`${head}\r\n`), TOO_LONG],
    ['a body that drips', (socket) => drip(socket, `${head}\r\n`, 'y'), TOO_LONG],
    ['chunks that drip', (socket) => drip(socket, chunked, '1\r\ny\r\n'), TOO_LONG],
    ['a chunk extension that drips', (socket) => drip(socket, `${chunked}1;`, 'y'), TOO_LONG],
  ]
  for (const [name, response, problem] of cases) {
    const { fetch } = createWorld(problem === TOO_LONG ? { responseMaxMs: 200, stallMaxMs: 200 } : {})
    const server = await serve(t, response)
    t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`)), refusal(server.port, problem), name)
    await server.untilClosed()
  }
})

/** Sends `bytes`, and resets the connection after the client, in the same event loop, could read them. */
function reset(bytes: string): Respond {
  return async (socket) => {
    socket.write(bytes)
    await sleep(20)
    await setImmediate()
    await setImmediate()
    socket.resetAndDestroy()
  }
}

t.test('a server that is not running is unreachable', async (t) => {
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
    isAllowed: () => true,
  })
  t.strictSame(await outcome(several.fetch(`http://files.example:${port}/`)), refusal(port, 'could not be reached'))
})
