import t from 'tap'
import { newId } from '../../db/id.ts'
import { insertKey, revokeKey } from '../../db/queries/keys.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { generateKey, hashKey, isKey, startOfKey } from '../../src/features/auth/key.ts'
import { call, createWorld } from '../helpers/app.ts'

t.test('a key is pr_, 30 random base62 characters and a checksum of six', async (t) => {
  const keys = Array.from({ length: 1_000 }, generateKey)
  t.strictSame(
    keys.filter((key) => !/^pr_[0-9A-Za-z]{36}$/.test(key)),
    [],
  )
  t.equal(new Set(keys).size, keys.length)
  t.ok(keys.every(isKey))
})

t.test('the checksum detects a mistyped key', async (t) => {
  const key = generateKey()
  const mistyped = [...key].slice(3).map((character, index) => {
    const other = character === 'a' ? 'b' : 'a'
    return key.slice(0, index + 3) + other + key.slice(index + 4)
  })
  const others = ['', 'pr_', key.slice(0, -1), `${key}a`, key.replace('pr_', 'PR_'), ` ${key}`, `${key}\n`]
  t.strictSame([...mistyped, ...others].filter(isKey), [])
})

t.test('a missing, invalid or expired key gets its documented error', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const make = (expiresAt: Date | null) => createKey(db, { userId: ada.id, name: null, expiresAt })
  const expired = await make(new Date(Date.now() - 1))
  const expiring = await make(new Date(Date.now() + 60_000))
  const revoked = await make(null)
  await revokeKey(db, revoked.id)
  const revokedAndExpired = await make(new Date(Date.now() - 1))
  await revokeKey(db, revokedAndExpired.id)

  const mend = (text: string) =>
    `Bearer error="invalid_request", error_description="${text}: send Authorization: Bearer pr_..."`
  const noScheme = mend('The scheme and a space precede the key')
  const cases: [string | undefined, number, error?: string, challenge?: string][] = [
    [undefined, 401, 'Missing API key'],
    ['', 401, 'Missing API key'],
    ['Bearer', 401, 'Missing API key'],
    ['Bearer ', 401, 'Missing API key'],
    ['Basic YTpi', 401, 'Missing API key'],
    [`Basic ${ada.key}`, 401, 'Missing API key', mend('The scheme is Bearer, not Basic')],
    [`Token ${ada.key}`, 401, 'Missing API key', mend('The scheme is Bearer, not Token')],
    [`Bearer\t${ada.key}`, 401, 'Missing API key', noScheme],
    [ada.key, 401, 'Missing API key', noScheme],
    [`Bearer${ada.key}`, 401, 'Missing API key', noScheme],
    ['Bearer nonsense', 401, 'Invalid API key'],
    [`Bearer ${generateKey()}`, 401, 'Invalid API key'],
    [`Bearer ${ada.key} ${ada.key}`, 401, 'Invalid API key'],
    [`Bearer ${ada.key.toLowerCase()}`, 401, 'Invalid API key'],
    [`Bearer ${revoked.key}`, 401, 'Invalid API key'],
    [`Bearer ${revokedAndExpired.key}`, 401, 'Invalid API key'],
    [`Bearer ${expired.key}`, 401, 'API key expired'],
    [`Bearer ${expiring.key}`, 200],
    [`Bearer ${ada.key}`, 200],
    [`bearer ${ada.key}`, 200],
    [`BEARER   ${ada.key}`, 200],
  ]
  for (const [authorization, status, error, challenge = 'Bearer'] of cases) {
    const reply = await app.inject({
      url: '/api/v1/accounts',
      headers: authorization === undefined ? {} : { authorization },
    })
    const name = String(authorization).slice(0, 20)
    t.equal(reply.statusCode, status, name)
    if (!error) continue
    t.strictSame(reply.json(), { error }, name)
    t.equal(reply.headers['www-authenticate'], challenge, name)
  }
  for (const [url, headers, challenge] of [
    ['/api/v1/posts', { 'x-api-key': ada.key }, mend('The header x-api-key is not read')],
    [`/api/v1/posts?api_key=${ada.key}`, {}, mend('A key in the address is not read, and logs may keep it')],
    ['/api/v1/posts?q=expr_1', { 'x-api-key': 'other' }, 'Bearer'],
  ] as const) {
    const reply = await app.inject({ url, headers })
    t.strictSame(
      [reply.statusCode, reply.json(), reply.headers['www-authenticate']],
      [401, { error: 'Missing API key' }, challenge],
      url.slice(0, 22),
    )
  }
})

t.test('a cached key stops working when it expires, and one second after it is revoked', async (t) => {
  const { app, db, user } = await createWorld(t)
  const ada = await user()
  const make = (expiresAt: Date | null) => createKey(db, { userId: ada.id, name: null, expiresAt })
  const callWith = async ({ key }: { key: string }) => {
    const { status, body } = await call(app, key, 'GET', '/accounts')
    return status === 200 ? 'accepted' : body.error
  }
  // The system clock and the monotonic clock.
  const clock = { now: Date.now(), monotonic: performance.now() }
  t.intercept(Date, 'now', { value: () => clock.now })
  t.intercept(performance, 'now', { value: () => clock.monotonic })

  const expiring = await make(new Date(clock.now + 10))
  t.equal(await callWith(expiring), 'accepted')
  clock.now += 9
  t.equal(await callWith(expiring), 'accepted')
  clock.now += 1
  t.equal(await callWith(expiring), 'API key expired')

  const revoked = await make(null)
  t.equal(await callWith(revoked), 'accepted')
  await revokeKey(db, revoked.id)
  clock.monotonic += 500
  await callWith(revoked)
  clock.monotonic += 500
  t.equal(await callWith(revoked), 'Invalid API key', 'however often it is used')
})

t.test('the key is checked before the body is read', async (t) => {
  const { app } = await createWorld(t)
  for (const body of ['{', '{"accountIds":5}', 'x'.repeat(2 * 1024 * 1024)]) {
    t.strictSame((await call(app, undefined, 'POST', '/posts', body)).body, { error: 'Missing API key' })
  }
})

t.test('only the hash and the start of a key are stored', async (t) => {
  const { db, user } = await createWorld(t)
  const ada = await user()
  const key = generateKey()
  await insertKey(db, {
    id: newId(),
    userId: ada.id,
    name: 'test',
    hash: hashKey(key),
    start: startOfKey(key),
    expiresAt: null,
  })
  const rows = await db.selectFrom('apiKeys').selectAll().where('name', '=', 'test').execute()
  t.equal(rows[0]?.start, key.slice(0, 9))
  t.notOk(JSON.stringify(rows).includes(key.slice(9)))
  t.equal(rows[0]?.hash.length, 32)
})
