import t from 'tap'
import { revokeKey } from '../../db/queries/keys.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { isKey } from '../../src/features/auth/key.ts'
import { call, createWorld, type Person, type Reply } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'
import { collectProblems } from '../helpers/problems.ts'
import { until } from '../helpers/until.ts'

type Call = Person['call']

/** Repeats a request that the database had no time for. */
const repeating =
  (send: Call): Call =>
  (...request) =>
    until('the request is carried out', () => send(...request), { isMet: ({ status }) => status !== 503 })

async function createScene(t: Teardown) {
  const world = await createWorld(t)
  const ada = await world.user()
  const using =
    (key: string): Call =>
    (...request) =>
      repeating((...[method, path, body]) => call(world.app, key, method, path, body))(...request)
  const make = async (scopes: Scope[] | null, expiresAt: Date | null = null) => {
    const { id, key } = await createKey(world.db, { userId: ada.id, name: null, expiresAt, scopes })
    return { id, key, call: using(key) }
  }
  return { ...world, ada: { ...ada, call: using(ada.key) }, using, make }
}

const codeOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]

t.test('a key creates a key that works, and shows its secret once', async (t) => {
  const { ada, using } = await createScene(t)
  const wanted = {
    name: 'drafts',
    scopes: ['posts:read', 'posts:write', 'posts:read'],
    expiresAt: '2999-01-01T02:00:00+02:00',
  }
  const created = await ada.call('POST', '/keys', wanted)
  t.equal(created.status, 201)
  const { key, ...shown } = created.body
  t.ok(isKey(key))
  t.hasStrict(shown, {
    userId: ada.id,
    name: 'drafts',
    start: key.slice(0, 9),
    scopes: ['posts:read', 'posts:write'],
    accountIds: null,
    expiresAt: '2999-01-01T00:00:00.000Z',
    lastUsedAt: null,
    replaces: null,
    replacedBy: null,
  })
  t.equal((await using(key)('GET', '/posts')).status, 200)
  t.equal((await using(key)('GET', '/accounts')).status, 403)
  t.strictSame((await ada.call('GET', `/keys/${shown.id}`)).body, shown)
  const { body: list } = await ada.call('GET', '/keys')
  t.strictSame(list.data[0], shown, 'the newest comes first')
  t.notOk(JSON.stringify(list).includes(key))
  t.equal((await ada.call('GET', '/keys?limit=1')).body.nextCursor, shown.id)
})

t.test('an Idempotency-Key is ignored: the secret of a key is not kept for a replay', async (t) => {
  const { app, db, ada } = await createScene(t)
  const send = () =>
    app.inject({
      method: 'POST',
      url: '/api/v1/keys',
      headers: { authorization: `Bearer ${ada.key}`, 'idempotency-key': 'a' },
      payload: { name: 'a', scopes: ['posts:read'] },
    })
  const isMet = ({ statusCode }: { statusCode: number }) => statusCode !== 503
  const first = await until('a key is created', send, { isMet })
  const second = await until('another key is created', send, { isMet })
  t.not(first.json().key, second.json().key)
  t.strictSame(await db.selectFrom('idempotencyKeys').select('key').execute(), [])
})

t.test('a key gives only what it has, for no longer than itself', async (t) => {
  const { make } = await createScene(t)
  const manager = await make(['keys:manage', 'posts:publish'], new Date('2999-01-01T00:00:00Z'))
  const create = (body: object) => manager.call('POST', '/keys', { name: 'a', scopes: ['posts:publish'], ...body })
  const tooWide = [403, 'api_key_too_wide']
  t.strictSame(codeOf(await create({ scopes: ['posts:publish', 'media:read'] })), tooWide)
  t.strictSame(codeOf(await create({ expiresAt: '2999-01-01T00:00:00.001Z' })), tooWide)
  t.equal((await create({})).body.expiresAt, '2999-01-01T00:00:00.000Z', 'without an expiry, that of its creator')
  t.equal((await create({ scopes: ['posts:write'] })).status, 201, 'posts:publish includes posts:write')
  const { body: list } = await manager.call('GET', '/keys')
  t.equal(list.data.length, 4, 'the others were not created')
})

t.test('a key that would be expired from the start is not created', async (t) => {
  const { ada } = await createScene(t)
  const { status, body } = await ada.call('POST', '/keys', {
    name: 'late',
    scopes: ['posts:read'],
    expiresAt: '2001-01-01T00:00:00Z',
  })
  t.strictSame([status, body.details.map(({ path }: { path: string[] }) => path)], [400, [['expiresAt']]])
  t.equal((await ada.call('GET', '/keys')).body.data.length, 1)
})

t.test('a key is renamed and narrowed, and never widened', async (t) => {
  const { ada, make } = await createScene(t)
  const { id, call } = await make(null)
  const patch = (body: object) => ada.call('PATCH', `/keys/${id}`, body)
  t.hasStrict((await patch({})).body, { id, name: null, scopes: null, expiresAt: null })
  t.hasStrict((await patch({ name: 'agent' })).body, { name: 'agent', scopes: null })
  t.hasStrict((await patch({ scopes: ['posts:read', 'media:read'] })).body, { scopes: ['posts:read', 'media:read'] })
  const tooWide = [403, 'api_key_too_wide']
  t.strictSame(codeOf(await patch({ scopes: ['posts:read', 'posts:write'] })), tooWide)
  t.hasStrict((await patch({ scopes: ['posts:read'], expiresAt: '2999-01-01T00:00:00Z' })).body, {
    name: 'agent',
    scopes: ['posts:read'],
    expiresAt: '2999-01-01T00:00:00.000Z',
  })
  t.strictSame(codeOf(await patch({ expiresAt: '2999-01-02T00:00:00Z' })), tooWide)
  t.strictSame(codeOf(await patch({ name: 'b', scopes: ['media:read'] })), tooWide)
  t.equal((await ada.call('GET', `/keys/${id}`)).body.name, 'agent', 'a refused change changes nothing')
  await until('the narrowed key has lost the scope', () => call('GET', '/media'), {
    isMet: ({ status }) => status === 403,
  })
  await patch({ expiresAt: '2000-01-01T00:00:00Z' })
  const isExpired = ({ body }: Reply) => body.error === 'API key expired'
  await until('the key is expired', () => call('GET', '/posts'), { isMet: isExpired })
})

t.test('a rotated key and its successor both work, until the overlap ends', async (t) => {
  const { ada, using, make } = await createScene(t)
  const { id, call } = await make(['posts:read'], new Date('2999-01-01T00:00:00Z'))
  const before = Date.now()
  const rotated = await ada.call('POST', `/keys/${id}/rotate`, {})
  t.equal(rotated.status, 201)
  const { key, ...successor } = rotated.body
  t.hasStrict(successor, { scopes: ['posts:read'], expiresAt: '2999-01-01T00:00:00.000Z', replaces: id })
  const old = (await ada.call('GET', `/keys/${id}`)).body
  t.equal(old.replacedBy, successor.id)
  const day = 86_400_000
  const ends = Date.parse(old.expiresAt)
  t.ok(ends >= before + day - 60_000 && ends <= Date.now() + day + 60_000, 'after a day, by the clock of the database')
  t.equal((await call('GET', '/posts')).status, 200)
  t.equal((await using(key)('GET', '/posts')).status, 200)

  t.strictSame(codeOf(await ada.call('POST', `/keys/${id}/rotate`, {})), [409, 'api_key_rotated'])
  await ada.call('DELETE', `/keys/${successor.id}`)
  t.equal((await ada.call('GET', `/keys/${id}`)).body.replacedBy, null)
  const again = await ada.call('POST', `/keys/${id}/rotate`, { overlapSeconds: 0 })
  t.equal(again.status, 201, 'a key whose successor was revoked')
  t.equal(again.body.expiresAt, old.expiresAt, 'the successor never outlives the key')
  await until('the old key is expired', () => call('GET', '/posts'), { isMet: ({ status }) => status === 401 })
})

t.test('of two simultaneous rotations of a key, one is carried out', async (t) => {
  const { ada, make } = await createScene(t)
  const { id } = await make(null)
  const replies = await Promise.all([1, 2, 3].map(() => ada.call('POST', `/keys/${id}/rotate`, {})))
  t.strictSame(replies.map(({ status }) => status).sort(), [201, 409, 409])
})

t.test('a key cannot gain rights by rotating another key', async (t) => {
  const { make } = await createScene(t)
  const manager = await make(['keys:manage'], new Date('2999-01-01T00:00:00Z'))
  for (const other of [await make(null), await make(['keys:manage', 'posts:read']), await make(['keys:manage'])]) {
    t.strictSame(codeOf(await manager.call('POST', `/keys/${other.id}/rotate`, {})), [403, 'api_key_too_wide'])
    t.equal((await other.call('GET', '/key')).body.replacedBy, null)
  }
  t.equal((await manager.call('POST', `/keys/${manager.id}/rotate`, {})).status, 201, 'a key may rotate itself')
})

/** The scopes that such a key may give: posts:publish includes posts:write. */
const WITHIN: Scope[] = ['keys:manage', 'posts:publish', 'posts:write', 'accounts:read']

t.test('a key changes and revokes only keys that allow no more than it does', async (t) => {
  const { make, db } = await createScene(t)
  const manager = await make(['keys:manage', 'posts:publish', 'accounts:read'])
  const above: (Scope[] | null)[] = [null, ['admin'], SCOPE_NAMES.filter((scope) => scope !== 'admin')]
  above.push(...SCOPE_NAMES.filter((scope) => !WITHIN.includes(scope)).map((scope) => [scope]))
  above.push(['posts:read', 'accounts:read'])
  const { problems, check } = collectProblems()
  const columns = ['id', 'name', 'scopes', 'accountIds', 'expiresAt', 'revokedAt'] as const
  const keys = () => db.selectFrom('apiKeys').select(columns).orderBy('id').execute()
  for (const scopes of above) {
    const { id } = await make(scopes)
    const before = await keys()
    const requests: [string, Reply][] = [
      ['renames', await manager.call('PATCH', `/keys/${id}`, { name: 'mine' })],
      ['changes nothing of', await manager.call('PATCH', `/keys/${id}`, {})],
      ['narrows', await manager.call('PATCH', `/keys/${id}`, { scopes: scopes?.slice(0, 1) ?? ['posts:publish'] })],
      ['shortens', await manager.call('PATCH', `/keys/${id}`, { expiresAt: '2000-01-01T00:00:00Z' })],
      ['rotates', await manager.call('POST', `/keys/${id}/rotate`, {})],
      ['revokes', await manager.call('DELETE', `/keys/${id}`)],
    ]
    for (const [verb, reply] of requests) check(codeOf(reply), [403, 'api_key_too_wide'], `it ${verb} ${scopes}`)
    check(await keys(), before, `the keys after requests about ${scopes}`)
  }
  for (const scopes of WITHIN.map((scope) => [scope])) {
    const { id } = await make(scopes, new Date('2999-01-01T00:00:00Z'))
    check((await manager.call('PATCH', `/keys/${id}`, { name: 'mine' })).status, 200, `it renames ${scopes}`)
    check((await manager.call('DELETE', `/keys/${id}`)).status, 200, `it revokes ${scopes}`)
  }
  t.strictSame(problems, [])
  t.equal((await manager.call('DELETE', `/keys/${manager.id}`)).status, 200, 'a key may revoke itself')
})

t.test('a key that lists every scope may change one that lists none', async (t) => {
  const { make } = await createScene(t)
  const manager = await make(SCOPE_NAMES.filter((scope) => scope !== 'admin'))
  const { id } = await make(null)
  t.equal((await manager.call('PATCH', `/keys/${id}`, { scopes: ['posts:read'] })).status, 200)
  t.equal((await manager.call('DELETE', `/keys/${id}`)).status, 200)
})

t.test('a key that expires may revoke one that lasts longer', async (t) => {
  const { make } = await createScene(t)
  const manager = await make(['keys:manage', 'posts:read'], new Date('2999-01-01T00:00:00Z'))
  const { id } = await make(['posts:read'])
  t.equal((await manager.call('DELETE', `/keys/${id}`)).status, 200)
})

t.test('a key that was revoked or narrowed a moment ago creates no key', async (t) => {
  const { db, make } = await createScene(t)
  const [revoked, narrowed] = [await make(null), await make(null)]
  const clock = performance.now()
  t.intercept(performance, 'now', { value: () => clock })
  for (const { call } of [revoked, narrowed]) t.equal((await call('GET', '/key')).status, 200)
  await revokeKey(db, revoked.id)
  await db
    .updateTable('apiKeys')
    .set({ scopes: ['keys:manage'] })
    .where('id', '=', narrowed.id)
    .execute()
  const body = { name: 'a', scopes: ['posts:read'] }
  // The cache still has both, because its clock stands still.
  t.strictSame(codeOf(await revoked.call('POST', '/keys', body)), [401, 'invalid_api_key'])
  t.strictSame(codeOf(await narrowed.call('POST', '/keys', body)), [403, 'api_key_too_wide'])
})

t.test('a revoked key is gone, and so is access by it', async (t) => {
  const { ada, make, user } = await createScene(t)
  const { id, call } = await make(null)
  const bob = await user()
  t.strictSame(codeOf(await bob.call('DELETE', `/keys/${id}`)), [404, 'api_key_not_found'])
  t.strictSame((await ada.call('DELETE', `/keys/${id}`)).body, { success: true })
  for (const method of ['GET', 'DELETE'] as const) {
    t.strictSame(codeOf(await ada.call(method, `/keys/${id}`)), [404, 'api_key_not_found'])
  }
  t.strictSame(codeOf(await ada.call('POST', `/keys/${id}/rotate`, {})), [404, 'api_key_not_found'])
  const { body } = await ada.call('GET', '/keys')
  t.notOk(body.data.some((key: { id: string }) => key.id === id))
  await until('the revoked key is rejected', () => call('GET', '/posts'), { isMet: ({ status }) => status === 401 })
})
