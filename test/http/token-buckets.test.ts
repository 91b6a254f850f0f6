import t from 'tap'
import { createTokenBuckets } from '../../src/base/http/token-buckets.ts'
import { networkOf } from '../../src/features/auth/failed-keys.ts'

t.test('a bucket gives its quota at once, and refills evenly', async (t) => {
  let now = 5_000
  const buckets = createTokenBuckets(60, 60_000, () => now)
  for (let left = 59; left >= 0; left--) t.match(buckets.take('a'), { isTaken: true, remaining: left })
  t.strictSame(buckets.take('a'), { isTaken: false, remaining: 0, retryAfterSeconds: 1, resetSeconds: 60 })
  t.match(buckets.take('b'), { isTaken: true, remaining: 59 }, 'another key has its own')

  now += 999
  t.equal(buckets.take('a').isTaken, false)
  now += 1
  t.strictSame(buckets.peek('a'), { remaining: 1, retryAfterSeconds: 0, resetSeconds: 59 })
  t.equal(buckets.take('a').isTaken, true)
  t.equal(buckets.take('a').isTaken, false)
  now += 3_600_000
  t.strictSame(buckets.peek('a'), { remaining: 60, retryAfterSeconds: 0, resetSeconds: 0 }, 'it never overflows')
})

t.test('buckets of more keys than memory is meant for make room for others', async (t) => {
  let now = 0
  const buckets = createTokenBuckets(1, 60_000, () => now)
  const takeMany = (prefix: string) => {
    for (let index = 0; index < 100_000; index++) buckets.take(`${prefix}${index}`)
  }
  takeMany('a')
  now += 60_000
  takeMany('b')
  t.equal(buckets.take('b0').isTaken, false, 'full buckets go first')
})

t.test('addresses of one IPv6 network count as one, and IPv4 addresses for themselves', async (t) => {
  const cases: [address: string, network: string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::1', '2001:db8:0:1'],
    ['2001:0DB8::0001:ffff:ffff:ffff:fffe', '2001:db8:0:1'],
    ['2001:db8:0:1:a:b:c:d', '2001:db8:0:1'],
    ['2001:db8:0:2::1', '2001:db8:0:2'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0'],
    ['2001:db8::', '2001:db8:0:0'],
    ['', ''],
  ]
  for (const [address, network] of cases) t.equal(networkOf(address), network, address)
})
