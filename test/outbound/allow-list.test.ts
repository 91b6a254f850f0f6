import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isIP } from 'node:net'
import t from 'tap'
import { isPublicAddress } from '../../src/base/outbound/addresses.ts'
import { type AllowedHost, isListed, parseAllowedHost } from '../../src/base/outbound/allow-list.ts'
import { createPublicClient } from '../../src/base/outbound/client.ts'
import { collectProblems } from '../helpers/problems.ts'

const parse = (text: string): AllowedHost[] => text.split(' ').map((item) => parseAllowedHost(item)!)

t.test('a name allows every address that it has, an address and a range every name that leads there', async (t) => {
  const list = parse('social.example.com 10.1.2.3 192.168.0.0/16 fd12::/16 ::1')
  const connections: [hostname: string, address: string, isAllowed: boolean][] = [
    ['social.example.com', '172.16.0.1', true],
    ['SOCIAL.example.com', '127.0.0.1', true],
    ['other.example.com', '172.16.0.1', false],
    ['a.social.example.com', '172.16.0.1', false],
    ['any.example', '10.1.2.3', true],
    ['any.example', '::ffff:10.1.2.3', true],
    ['any.example', '10.1.2.4', false],
    ['any.example', '192.168.255.255', true],
    ['any.example', '192.169.0.1', false],
    ['any.example', 'fd12:1::1', true],
    ['any.example', 'fd13::1', false],
    ['any.example', '::1', true],
    ['any.example', 'fd12::1%eth0', false],
  ]
  for (const [hostname, address, isAllowed] of connections) {
    t.equal(isListed(list, hostname, address, 443), isAllowed, `${hostname} ${address}`)
  }
})

t.test('an item with a port allows that port only', async (t) => {
  const list = parse('social.example.com:8443 10.0.0.0/8:80 [fd12::1]:444')
  t.equal(isListed(list, 'social.example.com', '127.0.0.1', 8443), true)
  t.equal(isListed(list, 'social.example.com', '127.0.0.1', 443), false)
  t.equal(isListed(list, 'x', '10.9.9.9', 80), true)
  t.equal(isListed(list, 'x', '10.9.9.9', 443), false)
  t.equal(isListed(list, 'x', 'fd12::1', 444), true)
  t.equal(isListed(list, 'x', 'fd12::1', 443), false)
})

t.test('addresses that control the machine are allowed only if they are listed themselves', async (t) => {
  const sensitive = ['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', 'fd00:ec2::254', '168.63.129.16']
  const wide = parse('social.example.com 0.0.0.0/0 ::/0 169.254.0.0/16 fe80::/10')
  for (const address of sensitive) {
    t.equal(isListed(wide, 'social.example.com', address, 80), false, address)
    t.equal(isListed(parse(address), 'social.example.com', address, 80), true, address)
  }
})

/** An IPv4 address in hexadecimal, as IPv6 addresses have it. */
const hexOf = (address: string) => address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'))

t.test('metadata addresses stay out of reach inside IPv6 addresses of every kind', async (t) => {
  const wide = parse('social.example.com 0.0.0.0/0 ::/0 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/32 fd00::/8')
  const { problems, check } = collectProblems()
  for (const address of [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.42.42',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ]) {
    const [a, b, c, d] = hexOf(address) as [string, string, string, string]
    const [e, f] = [`${a}${b}`, `${c}${d}`]
    const inverted = address.split('.').map((byte) => (255 - Number(byte)).toString(16).padStart(2, '0'))
    const embeddings = [
      address,
      `::ffff:${e}:${f}`,
      `::${e}:${f}`,
      `::ffff:0:${e}:${f}`,
      `64:ff9b::${e}:${f}`,
      `64:ff9b:1::${e}:${f}`,
      `64:ff9b:1:abcd:0:1:${e}:${f}`,
      `64:ff9b:1:${e}:${c.padStart(4, '0')}:${d}00::`,
      `64:ff9b:1:ab${a}:${b.padStart(4, '0')}:${c}${d}:0:0`,
      `64:ff9b:1:abcd:${a.padStart(4, '0')}:${b}${c}:${d}00:0`,
      `2002:${e}:${f}::1`,
      `2002:${e}:${f}:1:2:3:4:5`,
      `2001:0:${e}:${f}:0:1:2:3`,
      `2001:0:1:2:3:4:${inverted[0]}${inverted[1]}:${inverted[2]}${inverted[3]}`,
      `fe80::5efe:${e}:${f}`,
      `fd12::5efe:${e}:${f}`,
      `2001:db8:1:2:200:5efe:${e}:${f}`,
      `fd12:1:2:3:4:5:${e}:${f}`,
    ]
    for (const embedding of embeddings) {
      check(isIP(embedding) > 0, true, `${embedding} is an address`)
      check(isListed(wide, 'social.example.com', embedding, 80), false, `${address} as ${embedding} is listed`)
      check(isPublicAddress(embedding), false, `${address} as ${embedding} is public`)
      check(isListed(parse(embedding), 'x.example', embedding, 80), true, `${embedding} by an item of its own`)
    }
  }
  const ownMetadata = [
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
  ]
  for (const address of [...ownMetadata, 'fd00:100::100:200']) check(isListed(wide, 'x', address, 80), false, address)
  for (const address of ['64:ff9b::a01:203', '2002:a01:203::1', 'fd12::1', '::ffff:10.1.2.3', '64:ff9b:1::a01:203']) {
    check(isListed(wide, 'x', address, 80), true, `${address} is as before`)
  }
  check(isPublicAddress('64:ff9b::808:808'), true, 'a public address behind NAT64')
  t.strictSame(problems, [])
})

t.test('what is no host, address or range is not parsed', async (t) => {
  const wrong = [
    '',
    '*',
    '*.example.com',
    'https://a.example',
    'a.example/',
    'a b',
    'a:b',
    'a:0',
    'a:65536',
    '10.0.0',
    '1.2.3',
  ]
  wrong.push(
    '[]:80',
    '[10.0.0.1]',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/255.0.0.0',
    '[::1',
    '[a.example]:80',
    'fe80::1%eth0',
    '256.0.0.1',
  )
  for (const text of wrong) t.equal(parseAllowedHost(text), undefined, text)
})

t.test('fetch and download reach a listed host on loopback, at the listed port, and no other', async (t) => {
  const servers = [0, 0].map(() => createServer((_, response) => response.end('inside')).listen(0, '127.0.0.1'))
  t.teardown(() => servers.map((server) => server.close()))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const [port, other] = servers.map((server) => (server.address() as AddressInfo).port)
  const resolve = async () => [{ address: '127.0.0.1', family: isIP('127.0.0.1') }]
  const allowList = parse(`social.example:${port}`)
  const client = createPublicClient({ resolve, resolveListed: resolve, allowList })
  t.equal(await (await client.fetch(`http://social.example:${port}/`)).text(), 'inside')
  await t.rejects(client.fetch(`http://social.example:${other}/`), { cause: { code: 'ENOTFOUND' } })
  await t.rejects(client.fetch(`http://other.example:${port}/`), { cause: { code: 'ENOTFOUND' } })
  await t.rejects(client.fetch(`http://127.0.0.1:${port}/`), { cause: { code: 'ENOTFOUND' } })

  const options = {
    headers: {},
    redirectsMax: 0,
    bytesMax: 100,
    responseMaxMs: 60_000,
    stallMaxMs: 60_000,
    totalMaxMs: 60_000,
    toError: ({ reason }: { reason: string }) => new Error(reason),
  }
  const body = await client.download(new URL(`http://social.example:${port}/`), options)
  t.equal(Buffer.concat(await body.toArray()).toString(), 'inside')
  await t.rejects(client.download(new URL(`http://social.example:${other}/`), options), { message: 'not_public' })
})

t.test('a listed name is looked up in /etc/hosts as well', async (t) => {
  const server = createServer((_, response) => response.end('inside')).listen(0, 'localhost')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { fetch } = createPublicClient({ allowList: parse('localhost') })
  t.equal(await (await fetch(`http://localhost:${port}/`)).text(), 'inside')
})
