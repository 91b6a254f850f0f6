import t, { type Test } from 'tap'
import { createKey } from '../../src/features/auth/create-key.ts'
import { generateKey } from '../../src/features/auth/key.ts'
import { call, createWorld, type Options } from '../helpers/app.ts'

/** A service whose clock stands still until the test moves it. */
async function createScene(t: Test, options: Options) {
  const world = await createWorld(t, options)
  const ada = await world.user()
  // Whole milliseconds, so that sums are exact.
  const clock = { now: Math.ceil(performance.now()) }
  t.intercept(performance, 'now', { value: () => clock.now })
  return { ...world, ada, clock }
}

t.test('without a limit, responses have no fields of one', async (t) => {
  const { app, user } = await createWorld(t, { trustedProxies: ['127.0.0.1'] })
  const ada = await user()
  const replies = []
  for (const key of [ada.key, ...Array.from({ length: 30 }, generateKey)]) {
    const { status, headers } = await call(app, key, 'GET', '/posts')
    replies.push([status, headers.ratelimit, headers['ratelimit-policy'], headers['retry-after']])
  }
  const none = [undefined, undefined, undefined]
  t.strictSame(replies, [[200, ...none], ...Array(30).fill([401, ...none])])
})

t.test('a key that has used up its requests is rejected, until they come back', async (t) => {
  const { db, app, ada, clock } = await createScene(t, { rateLimits: { all: 3, write: 3 } })
  const fieldsOf = async () => {
    const { status, headers, body } = await ada.call('GET', '/posts')
    return [status, headers.ratelimit, headers['retry-after'], body.error]
  }
  const { headers } = await ada.call('GET', '/posts')
  t.equal(headers['ratelimit-policy'], '"all";q=3;w=60, "write";q=3;w=60')
  t.equal(headers.ratelimit, '"all";r=2;t=20, "write";r=3;t=0')
  t.strictSame(await fieldsOf(), [200, '"all";r=1;t=40, "write";r=3;t=0', undefined, undefined])
  t.equal((await ada.call('GET', '/accounts')).status, 200)
  const error = 'Too many requests, try again in 20 s'
  t.strictSame(await fieldsOf(), [429, '"all";r=0;t=60, "write";r=3;t=0', '20', error])
  t.equal((await ada.call('GET', '/posts')).headers['x-error-code'], 'rate_limited')

  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  t.equal((await call(app, key, 'GET', '/posts')).status, 200, 'another key of the user has its own quota')
  clock.now += 20_000
  t.strictSame((await fieldsOf())[0], 200)
  t.strictSame((await fieldsOf())[0], 429)
})

t.test('the keys of a user have the quota of two together', async (t) => {
  const { db, app, ada, user } = await createScene(t, { rateLimits: { all: 20, write: 20 } })
  const statuses: number[] = []
  for (let count = 0; count < 10; count++) {
    const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
    for (let number = 0; number < 10; number++) statuses.push((await call(app, key, 'GET', '/key')).status)
  }
  t.strictSame(
    [200, 429].map((status) => statuses.filter((each) => each === status).length),
    [40, 60],
  )
  t.equal((await (await user()).call('GET', '/key')).status, 200, 'other users have their own')
})

t.test('writes have a quota of their own, and reads go on when it is used up', async (t) => {
  const { ada, clock } = await createScene(t, { rateLimits: { all: 10, write: 2 } })
  const accountIds = [await ada.account('x')]
  const create = () => ada.call('POST', '/posts', { accountIds, caption: 'hi' })
  t.equal((await create()).status, 201)
  t.equal((await create()).status, 201)
  const rejected = await create()
  t.strictSame([rejected.status, rejected.headers['retry-after']], [429, '30'])
  t.equal(rejected.headers.ratelimit, '"all";r=8;t=12, "write";r=0;t=60', 'a rejected write takes no other request')
  t.equal((await ada.call('GET', '/posts')).body.data.length, 2)
  clock.now += 30_000
  t.equal((await create()).status, 201)
})

t.test('a request that is invalid, forbidden or unknown counts as any other', async (t) => {
  const { app, db, ada } = await createScene(t, { rateLimits: { all: 3, write: 3 } })
  const scopes = ['media:read' as const]
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null, scopes })
  t.equal((await call(app, key, 'GET', '/posts')).status, 403)
  t.equal((await call(app, key, 'POST', '/posts', '{')).status, 403)
  t.equal((await call(app, key, 'GET', '/media?limit=0')).status, 400)
  t.equal((await call(app, key, 'GET', '/media')).status, 429)
})

t.test('behind a proxy, an address that sends invalid keys is rejected, and a valid key never', async (t) => {
  const options = { rateLimits: { all: 1_000, write: 1_000 }, trustedProxies: ['127.0.0.1'] }
  const { app, db, ada, clock } = await createScene(t, options)
  const send = async (key: string, address: string) => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': address }
    const { statusCode, headers: fields } = await app.inject({ url: '/api/v1/accounts', headers })
    return [statusCode, fields['x-error-code'], fields['retry-after']]
  }
  const accepted = [200, undefined, undefined]
  t.strictSame(await send(ada.key, '192.0.2.7'), accepted)
  const failures = []
  for (let count = 0; count < 20; count++) {
    failures.push(await send(count % 2 ? generateKey() : 'pr_mistyped', '192.0.2.7'))
  }
  t.strictSame(failures, Array(20).fill([401, 'invalid_api_key', undefined]))
  const rejected = [429, 'too_many_failed_keys', '3']
  t.strictSame(await send(generateKey(), '192.0.2.7'), rejected)
  t.strictSame(await send(ada.key, '192.0.2.7'), accepted, 'a key that was valid before')
  t.strictSame((await send(generateKey(), '192.0.2.8'))[0], 401, 'another address')
  const { key: fresh } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  t.strictSame(await send(fresh, '192.0.2.7'), accepted, 'a key that the process has not seen')
  clock.now += 3_000
  t.strictSame((await send(generateKey(), '192.0.2.7'))[0], 401)
  t.strictSame(await send(generateKey(), '192.0.2.7'), rejected)

  for (let count = 0; count < 20; count++) await send('pr_mistyped', `2001:db8::${count}`)
  t.strictSame(await send('pr_mistyped', '2001:db8::ffff:1'), rejected, 'an address of the same IPv6 network')
  t.strictSame((await send('pr_mistyped', '2001:db8:0:1::1'))[0], 401)
  const { key } = await createKey(db, { userId: ada.id, name: null, expiresAt: null })
  const successes = []
  for (let count = 0; count < 50; count++) successes.push(await send(key, '192.0.2.9'))
  t.strictSame(successes, Array(50).fill(accepted))
  t.strictSame((await send('pr_mistyped', '192.0.2.9'))[0], 401, 'valid keys do not count')
})

t.test('without a trusted proxy, addresses are not counted: all clients may share one', async (t) => {
  const { app } = await createScene(t, { rateLimits: { all: 10, write: 10 } })
  const statuses = []
  for (let count = 0; count < 30; count++) statuses.push((await call(app, 'pr_mistyped', 'GET', '/posts')).status)
  t.strictSame(statuses, Array(30).fill(401))
})
