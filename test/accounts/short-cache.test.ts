import t from 'tap'
import { createShortCache } from '../../src/accounts/short-cache.ts'

t.test('a result is kept for its time, and no longer', async (t) => {
  let now = 1_000
  let calls = 0
  const cache = createShortCache<number>({ keptMs: 60_000, entriesMax: 10, uptimeMs: () => now })
  const read = async () => ++calls
  t.equal(await cache.get('a', read), 1)
  now += 59_999
  t.equal(await cache.get('a', read), 1)
  now += 1
  t.equal(await cache.get('a', read), 2)
})

t.test('the oldest results make room for new ones', async (t) => {
  const cache = createShortCache<string>({ keptMs: 60_000, entriesMax: 2, uptimeMs: () => 0 })
  for (const key of ['a', 'b', 'c']) await cache.get(key, async () => key)
  t.equal(await cache.get('c', async () => 'again'), 'c')
  t.equal(await cache.get('a', async () => 'again'), 'again')
})

t.test('a failure reaches every caller that waits for it, and is not kept', async (t) => {
  const cache = createShortCache<string>({ keptMs: 60_000, entriesMax: 2 })
  const fails = () => cache.get('a', () => Promise.reject(new Error('no')))
  const [first, second] = await Promise.allSettled([fails(), fails()])
  t.strictSame([first.status, second.status], ['rejected', 'rejected'])
  t.equal(await cache.get('a', async () => 'yes'), 'yes')
})
