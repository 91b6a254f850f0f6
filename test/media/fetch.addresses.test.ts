import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { createFetchFile } from '../../src/features/media/fetch.ts'
import { collectProblems } from '../helpers/problems.ts'
import { ca, createCanary, createWorld, OFF_LIMITS, ok, outcome, redirect, serve } from './fetch-scene.ts'

t.test('by default, no notation of a non-public address is connected to', async (t) => {
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
  const fetchFile = createFetchFile(createPublicClient({ resolveMaxMs: 2000 }))
  const { problems, check } = collectProblems()
  for (const host of hosts.split(/\s+/)) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${canary.port}/`
      check(await outcome(fetchFile(url, { bytesMax: 100 })), OFF_LIMITS, url)
    }
  }
  t.strictSame(problems, [])
  t.equal(sockets, 0, 'no connection was tried')
  t.equal(canary.connections() + (canary6?.connections() ?? 0), 0)
})

t.test('names that do not exist and names with a private address get the same error', async (t) => {
  const canary = await createCanary(t)
  const { fetch } = createWorld()
  const names = ['private.example', 'mixed.example', 'reverse.example', 'metadata.example', 'none.example', 'x.example']
  for (const name of names) {
    t.strictSame(await outcome(fetch(`http://${name}:${canary.port}/`)), OFF_LIMITS, name)
    t.strictSame(await outcome(fetch(`https://${name}:${canary.port}/`)), OFF_LIMITS, name)
    const server = await serve(t, redirect(`http://${name}:${canary.port}/`))
    t.strictSame(await outcome(fetch(`http://files.example:${server.port}/`)), OFF_LIMITS, `redirect to ${name}`)
    await server.untilClosed()
  }

  const message = 'no name server says where slow.example is. Try again in a while'
  const notLookedUp = { statusCode: 400, message }
  const never = createWorld({ resolve: () => new Promise(() => {}), resolveMaxMs: 20 })
  t.strictSame(await outcome(never.fetch('http://slow.example/')), notLookedUp, 'a name server that does not respond')
  const failed = Promise.withResolvers<void>()
  const late = createWorld({
    async resolve() {
      await sleep(40)
      failed.resolve()
      throw new Error('late')
    },
    resolveMaxMs: 20,
  })
  t.strictSame(await outcome(late.fetch('http://slow.example/')), notLookedUp, 'a name server that fails later')
  await failed.promise
  canary.isUntouched(t)
})

t.test('a name is looked up once per request, and the checked address is connected to', async (t) => {
  const server = await serve(t, (socket, request) =>
    socket.end(request.startsWith('GET /again ') ? ok('public') : redirect('/again')),
  )
  const canary = await createCanary(t, server.port)
  const addresses = ['127.0.0.1', '127.0.0.2']
  const lookups: string[] = []
  const rebinding = createWorld({
    async resolve(hostname) {
      lookups.push(hostname)
      return [{ address: addresses[(lookups.length - 1) % 2]!, family: 4 }]
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

t.test('a host is reached if only one of its addresses accepts connections', async (t) => {
  const addresses = ['127.0.0.3', '127.0.0.1', '::1'].map((address) => ({ address, family: net.isIP(address) }))
  const { fetch } = createWorld({ resolve: async () => addresses, isAllowed: () => true, ca })
  for (const secure of [false, true]) {
    const server = await serve(t, ok('hello'), { secure })
    t.equal(await outcome(fetch(`${secure ? 'https' : 'http'}://files.example:${server.port}/`)), 'hello')
    await server.untilClosed()
  }
})
