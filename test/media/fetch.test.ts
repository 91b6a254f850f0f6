import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { until } from '../helpers/until.ts'
import { createWorld, ok, outcome, refusal, serve } from './fetch-scene.ts'

t.test('a file is fetched with a plain request that has no credentials', async (t) => {
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
  t.ok(bytes.equals(await buffer(await fetch(`http://127.0.0.1:${server.port}/`))), 'by IP address')
  t.strictSame(lookups, ['files.example'])
  await server.untilClosed()
})

t.test('bodies with every kind of framing arrive complete', async (t) => {
  const forms: [name: string, bytes: string, body: string][] = [
    ['with a length', ok('hello'), 'hello'],
    ['empty', ok(''), ''],
    ['of exactly the maximum size', ok('x'.repeat(1000)), 'x'.repeat(1000)],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n', 'hello'],
    ['until the connection closes', 'HTTP/1.1 200 OK\r\n\r\nhello', 'hello'],
    ['from HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nhello', 'hello'],
    [
      'after interim responses',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n${ok('hello')}`,
      'hello',
    ],
    ['declared as identity', ok('hello', 'Content-Encoding: Identity\r\n'), 'hello'],
    ['with an offer to upgrade', ok('hello', 'Connection: upgrade\r\nUpgrade: h2c\r\n'), 'hello'],
    ['with more bytes after it', `${ok('hello')}${ok('and more')}`, 'hello'],
  ]
  for (const [name, bytes, body] of forms) {
    for (const hangsUp of [true, false]) {
      if (!hangsUp && name.match(/closes|1\.0/)) continue
      const server = await serve(t, (socket) => (hangsUp ? socket.end(bytes) : socket.write(bytes)))
      t.equal(await outcome(createWorld().fetch(`http://files.example:${server.port}/`, 1000)), body, name)
      await server.untilClosed()
    }
  }
})

t.test('a URL that is neither http nor https is a shape error', async (t) => {
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
    const issue = {
      code: 'invalid_string',
      validation: 'url',
      message: 'Invalid url: begin with https:// and a host, such as https://app.example.com/hook',
    }
    t.strictSame(await outcome(fetch(url)), invalid(issue), url)
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
    const issue = { code: 'custom', message: 'Must be an http or https address' }
    t.strictSame(await outcome(fetch(url)), invalid(issue), url)
  }
  for (const url of ['http://ada@files.example/', 'http://ada:lovelace@files.example/', 'http://:x@files.example/']) {
    const issue = { code: 'custom', message: 'Must not contain a user name or password' }
    t.strictSame(await outcome(fetch(url)), invalid(issue), url)
  }
  t.strictSame(lookups, [], 'no name was looked up')
})

t.test('a file with a Content-Length above the maximum is refused before it is read', async (t) => {
  const server = await serve(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n')
  })
  const { fetch } = createWorld()
  const tooLarge = { statusCode: 413, message: 'File is larger than 1000 bytes' }
  t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`, 1000)), tooLarge)
  await server.untilClosed()

  const endless = await serve(t, `HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 53}0\r\n\r\n`)
  t.strictSame(await outcome(fetch(`http://files.example:${endless.port}/`, 1000)), tooLarge)
})

t.test('destroying the stream closes the connection, before it is read and while it is read', async (t) => {
  const server = await serve(t, (socket) => {
    const write = (): unknown => socket.write('x'.repeat(20_000)) && setImmediate().then(write)
    socket.on('drain', write)
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    write()
  })
  const { fetch } = createWorld()
  const url = `http://files.example:${server.port}/`
  ;(await fetch(url)).destroy()
  await server.untilClosed()
  const file = await fetch(url)
  for await (const _chunk of file) break
  t.ok(file.destroyed)
  await server.untilClosed()
  const failing = await fetch(url)
  failing.destroy(new Error('the disk is full'))
  await server.untilClosed()
})

t.test('a reader gets an error that precedes its first read', async (t) => {
  const server = await serve(t, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello')
  const file = await createWorld().fetch(`http://files.example:${server.port}/`)
  await server.untilClosed()
  await until('the stream has failed', () => file.destroyed)
  t.strictSame(await outcome(Promise.resolve(file)), refusal(server.port, 'cut off the file'))
})

t.test('proxies and certificate settings of the environment are ignored, and the process exits', async (t) => {
  const server = await serve(t, ok('hello'))
  const secure = await serve(t, ok('hello'), { secure: true })
  const proxy = await serve(t, ok('proxied'))
  const script = `
    import { text } from 'node:stream/consumers'
    import { createFetchFile } from ${JSON.stringify(new URL('../../src/features/media/fetch.ts', import.meta.url).href)}
    import { createPublicClient } from ${JSON.stringify(new URL('../../src/base/outbound/client.ts', import.meta.url).href)}
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const client = createPublicClient({ resolve, isAllowed: () => true, resolveMaxMs: 600_000 })
    const fetchFile = createFetchFile(client, { responseMaxMs: 600_000, stallMaxMs: 600_000, totalMaxMs: 600_000 })
    for (const url of ['http://files.example:${server.port}/', 'https://files.example:${secure.port}/']) {
      console.log(await fetchFile(url, { bytesMax: 9 }).then(text, (error) => error.message))
    }
  `
  const address = `http://127.0.0.1:${proxy.port}`
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: '1',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NO_PROXY: '',
    no_proxy: '',
    HTTP_PROXY: address,
    http_proxy: address,
    HTTPS_PROXY: address,
    https_proxy: address,
    ALL_PROXY: address,
  }
  // A timer or connection that was left open would keep the process alive for ten minutes.
  const options = { env, stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'], timeout: 60_000 }
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], options)
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  t.equal(output, `hello\nthe server at files.example:${secure.port} has no valid certificate\n`)
  t.equal(code, 0)
  t.equal(proxy.connections(), 0)
})
