import t from 'tap'
import { createCanary, createWorld, OFF_LIMITS, ok, outcome, redirect, refusal, serve } from './fetch-scene.ts'

t.test('redirects are followed, with every rule of a first request', async (t) => {
  let response = ''
  const server = await serve(t, (socket, request) => {
    const path = /^GET (\S+) /.exec(request)?.[1]
    socket.end(path === '/a/start?b' ? response : ok(`file ${path}`))
  })
  const canary = await createCanary(t)
  const { fetch, lookups } = createWorld()
  const via = (location: string, status = 302) => {
    response = redirect(location, status)
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
  const invalid = [
    'file:///etc/passwd',
    'ftp://other.example/',
    'data:,x',
    'javascript:1',
    'unix:/x',
    'http://',
    'https://a b/',
  ]
  invalid.push('http://a:b@other.example/', `//ada@other.example:${server.port}/`)
  const refused = refusal(server.port, 'responded with 307 without a valid Location')
  for (const location of invalid) t.strictSame(await via(location, 307), refused, location)
  canary.isUntouched(t)
  await server.untilClosed()

  const endless = await serve(t, (socket) => {
    socket.write(`HTTP/1.1 302 Found\r\nLocation: http://files.example:${server.port}/x\r\n\r\nhello`)
  })
  t.equal(
    await outcome(fetch(`http://files.example:${endless.port}/`)),
    'file /x',
    'the body of a redirect is not read',
  )
  await endless.untilClosed()

  const nowhere = await serve(t, 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n')
  t.strictSame(
    await outcome(fetch(`http://files.example:${nowhere.port}/`)),
    refusal(nowhere.port, 'responded with 302 without a valid Location'),
  )
})

t.test('at most five redirects are followed', async (t) => {
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
  await server.untilClosed()
})
