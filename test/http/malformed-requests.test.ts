import t from 'tap'
import { errorResponse, listenForRawRequests, MALFORMED, type RawResponse } from '../helpers/raw-requests.ts'

const INVALID_HOST = errorResponse(400, 'Host header is repeated or not valid: send one, such as Host: api.example.com')
const TOO_LONG = errorResponse(431, 'Request headers are larger than 16 KiB')

t.test('bytes that are not an HTTP request get one JSON response, and the connection is closed', async (t) => {
  const { send, auth, assertAlive } = await listenForRawRequests(t)
  const host = 'Host: a\r\n'
  const cases: [name: string, bytes: string | Buffer, responses: RawResponse[]][] = [
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
    [
      'no Host',
      `GET /api/v1/posts HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`,
      errorResponse(400, 'Missing Host header'),
    ],
    ...['Host: b\r\n', 'hOST: a\r\n'].map((second): (typeof cases)[number] => [
      `two Hosts, ${second}`,
      `GET /healthz HTTP/1.1\r\n${host}X: a\r\n${second}Connection: close\r\n\r\n`,
      INVALID_HOST,
    ]),
    ...['a b', 'a/b', 'ada@a', 'a:b', '[::1', 'a, b'].map((value): (typeof cases)[number] => [
      `Host: ${value}`,
      `GET /healthz HTTP/1.1\r\nHost: ${value}\r\nConnection: close\r\n\r\n`,
      INVALID_HOST,
    ]),
    ['no Host, no route', 'GET /x HTTP/1.1\r\nConnection: close\r\n\r\n', errorResponse(400, 'Missing Host header')],
    ['HTTP/0.9', 'GET /\r\n\r\n', errorResponse(404, 'Not found')],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, errorResponse(404, 'Not found')],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`, errorResponse(404, 'Not found')],
    [
      'CONNECT and more',
      `CONNECT a:443 HTTP/1.1\r\n${host}\r\nGET / HTTP/1.1\r\n${host}\r\n`,
      errorResponse(404, 'Not found'),
    ],
    [
      'bytes for a key',
      Buffer.from(
        `GET /api/v1/posts HTTP/1.1\r\n${host}Authorization: Bearer \xff\xfe\r\nConnection: close\r\n\r\n`,
        'latin1',
      ),
      errorResponse(401, 'Invalid API key'),
    ],
    [
      'two keys, of which the first counts',
      `GET /api/v1/posts HTTP/1.1\r\n${host}Authorization: Bearer x\r\n${auth}Connection: close\r\n\r\n`,
      errorResponse(401, 'Invalid API key'),
    ],
  ]
  for (const [name, bytes, responses] of cases) t.strictSame(await send(bytes), responses, name)
  t.strictSame(await send('GET /healthz HTT', { thenEnd: true }), MALFORMED, 'half a request')
  t.strictSame(await send('', { thenEnd: true }), [], 'a connection without a request')
  await assertAlive(t)
})

t.test('a request with an ambiguous or invalid body length is rejected, and nothing of it is served', async (t) => {
  const { send, create, post, auth, stored, assertAlive } = await listenForRawRequests(t)
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
  const { send, get, create, post, auth, stored, assertAlive } = await listenForRawRequests(t)
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
  t.strictSame(refused, errorResponse(417, 'Expectation failed'), 'an unknown expectation')
  t.equal((await stored()).length, 4)
  await assertAlive(t)
})
