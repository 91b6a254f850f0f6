import t from 'tap'
import { isPublicAddress } from '../../src/base/outbound/addresses.ts'

/**
 * Every range of IANA's registries that is not globally reachable, with the addresses next to it if they are public:
 * https://www.iana.org/assignments/iana-ipv4-special-registry, .../iana-ipv6-special-registry,
 * .../multicast-addresses, .../ipv6-address-space.
 */
const OFF_LIMITS: [name: string, before: string | undefined, first: string, last: string, after: string | undefined][] =
  [
    ['this network', undefined, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['private', '9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['shared by carriers', '100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['loopback', '126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['link-local', '169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['private', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['protocol assignments', '191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['documentation', '192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['AS112', '192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
    ['AMT', '192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
    ['6to4 relays', '192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['private', '192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['AS112', '192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
    ['benchmarking', '198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['documentation', '198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['documentation', '203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['multicast', '223.255.255.255', '224.0.0.0', '239.255.255.255', undefined],
    ['reserved, broadcast', undefined, '240.0.0.0', '255.255.255.255', undefined],
    ['the platform of Azure', '168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],

    ['unspecified', undefined, '::', '::', undefined],
    ['loopback', undefined, '::1', '::1', undefined],
    ['IPv4-compatible', undefined, '::0.0.0.2', '::255.255.255.255', undefined],
    ['IPv4-translated', undefined, '::ffff:0:0.0.0.0', '::ffff:0:255.255.255.255', undefined],
    ['NAT64 of a network', undefined, '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', undefined],
    ['next to NAT64', undefined, '64:ff9b::1:0:0', '64:ff9b:0:ffff:ffff:ffff:ffff:ffff', undefined],
    ['discard', undefined, '100::', '100::ffff:ffff:ffff:ffff', undefined],
    ['below the allocated space', undefined, '101::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['Teredo', undefined, '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['benchmarking', undefined, '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', undefined],
    ['ORCHID', undefined, '2001:10::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['protocol assignments', undefined, '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
    [
      'documentation',
      '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db9::',
    ],
    ['6to4', '2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
    [
      'AS112',
      '2620:4f:7fff:ffff:ffff:ffff:ffff:ffff',
      '2620:4f:8000::',
      '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
      '2620:4f:8001::',
    ],
    [
      'documentation',
      '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3fff::',
      '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3fff:1000::',
    ],
    ['above the allocated space', undefined, '4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['segment routing', undefined, '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['unique local', undefined, 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['link-local', undefined, 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['site-local', undefined, 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
    ['multicast', undefined, 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
  ]

t.test('special-purpose ranges are not public, and the addresses next to them are', async (t) => {
  for (const [name, before, first, last, after] of OFF_LIMITS) {
    for (const address of [first, last]) t.equal(isPublicAddress(address), false, `${name}: ${address}`)
    for (const address of [before, after]) {
      if (address) t.equal(isPublicAddress(address), true, `next to ${name}: ${address}`)
    }
  }
})

t.test('an IPv4 address inside an IPv6 address is checked itself', async (t) => {
  const prefixed = (prefix: string, address: string) => `${prefix}${address}`
  for (const [name, before, first, last, after] of OFF_LIMITS.filter(([, , first]) => !first.includes(':'))) {
    for (const prefix of ['::ffff:', '64:ff9b::']) {
      for (const address of [first, last]) {
        t.equal(isPublicAddress(prefixed(prefix, address)), false, `${name}: ${prefixed(prefix, address)}`)
      }
      for (const address of [before, after]) {
        if (address) t.equal(isPublicAddress(prefixed(prefix, address)), true, prefixed(prefix, address))
      }
    }
  }
  t.equal(isPublicAddress('::ffff:7f00:1'), false)
  t.equal(isPublicAddress('0:0:0:0:0:FFFF:A9FE:A9FE'), false)
  t.equal(isPublicAddress('64:ff9b::a00:1'), false)
  t.equal(isPublicAddress('::ffff:808:808'), true)
})

t.test('well-known public addresses are public', async (t) => {
  for (const address of ['1.1.1.1', '8.8.8.8', '2000::', '2606:4700:4700::1111', '2A00:1450:4001:80B::200E']) {
    t.equal(isPublicAddress(address), true, address)
  }
})

t.test('metadata services of clouds are not public', async (t) => {
  const addresses = ['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254']
  for (const address of addresses) t.equal(isPublicAddress(address), false, address)
})

t.test('only addresses in canonical notation and without a zone are public', async (t) => {
  const texts = [
    'fe80::1%eth0',
    '2606:4700:4700::1111%1',
    '::1%',
    '',
    ' ',
    'localhost',
    'example.com',
    '[::1]',
    '1.1.1.1 ',
  ]
  texts.push('1.1.1', '1', '16843009', '0x1.1.1.1', '01.1.1.1', '1.1.1.1.', '1.1.1.256', '1.1.1.1/32', '::ffff:1.1.1')
  for (const text of texts) t.equal(isPublicAddress(text), false, JSON.stringify(text))
})
