import t from 'tap'
import { newId } from '../../db/id.ts'
import { SCOPE_NAMES, type Scope } from '../../schemas/scopes.ts'
import { createKey } from '../../src/features/auth/create-key.ts'
import { call, createWorld, type Options, type Person, type Reply } from '../helpers/app.ts'
import type { Teardown } from '../helpers/database.ts'
import { operationsOf, readDocument } from '../helpers/document.ts'
import { until } from '../helpers/until.ts'
import { jpeg, upload } from '../helpers/upload.ts'

/**
 * An administrator, and a function that sends requests with any key. Requests that the database had no time for are
 * repeated.
 */
async function createScene(t: Teardown, options: Options = {}) {
  const world = await createWorld(t, options)
  const using =
    (key: string): Person['call'] =>
    (...[method, path, body]) =>
      until('the request is carried out', () => call(world.app, key, method, path, body), {
        isMet: ({ status }) => status !== 503,
      })
  const operator = await world.user('operator')
  const make = async (scopes: Scope[] | null) =>
    (await createKey(world.db, { userId: operator.id, name: null, expiresAt: null, scopes })).key
  return { ...world, using, make, operator, admin: using(await make(['admin'])) }
}

const codeOf = ({ status, headers }: Reply) => [status, headers['x-error-code']]

t.test(
  'a program brings in a customer over HTTP alone: user, organisation, membership, key, account, post',
  async (t) => {
    const { admin, using } = await createScene(t)
    const { body: user } = await admin('POST', '/users', { name: 'Lighthouse Coffee' })
    const { body: organization } = await admin('POST', '/organizations', { name: 'Berlin' })
    const path = `/organizations/${organization.id}/members/${user.id}`
    t.hasStrict((await admin('PUT', path, { role: 'admin' })).body, { userId: user.id, role: 'admin' })
    const scopes = ['posts:publish', 'posts:read', 'accounts:read', 'accounts:connect']
    const created = await admin('POST', `/users/${user.id}/keys`, { name: 'customer', scopes })
    t.equal(created.status, 201)
    const { key, ...shown } = created.body
    t.hasStrict(shown, { userId: user.id, name: 'customer', scopes, expiresAt: null })

    const customer = using(key)
    const account = { platform: 'sandbox', credentials: { username: 'ada' }, organizationId: organization.id }
    const { body: connected } = await customer('POST', '/accounts', account)
    t.equal((await customer('POST', '/posts', { accountIds: [connected.id], caption: 'hi' })).status, 201)
    t.strictSame(codeOf(await customer('GET', '/keys')), [403, 'insufficient_scope'])

    t.hasStrict((await admin('GET', '/users')).body.data[0], { id: user.id, name: 'Lighthouse Coffee' })
    t.hasStrict((await admin('GET', '/organizations')).body.data, [{ id: organization.id, name: 'Berlin' }])
    t.strictSame((await admin('GET', `/users/${user.id}/keys`)).body.data[0].id, shown.id)
    t.strictSame((await admin('DELETE', `/users/${user.id}/keys/${shown.id}`)).body, { success: true })
    await until('the key is rejected', () => customer('GET', '/posts'), { isMet: ({ status }) => status === 401 })
  },
)

t.test('users are changed, and found by name or reference', async (t) => {
  const { admin } = await createScene(t)
  const { body: ada } = await admin('POST', '/users', { name: 'Ada', externalReference: 'customer-42' })
  const { body: bob } = await admin('POST', '/users', { name: 'Bob' })
  t.hasStrict(ada, { name: 'Ada', externalReference: 'customer-42' })
  t.notOk('externalReference' in bob)
  const find = async (query: string) =>
    (await admin('GET', `/users?${query}`)).body.data.map(({ id }: { id: string }) => id)
  t.strictSame(await find('externalReference=customer-42'), [ada.id])
  t.strictSame(await find('name=Bob'), [bob.id])
  t.strictSame(await find('name=Bob&externalReference=customer-42'), [])
  t.strictSame(await find('name=bo'), [])

  const change = (id: string, body: object) => admin('PATCH', `/users/${id}`, body)
  t.strictSame(await change(bob.id, {}).then(({ body }) => body), bob)
  t.strictSame((await change(bob.id, { externalReference: 'customer-43' })).body.externalReference, 'customer-43')
  t.hasStrict((await change(bob.id, { name: 'Robert' })).body, { name: 'Robert', externalReference: 'customer-43' })
  t.notOk('externalReference' in (await change(bob.id, { externalReference: null })).body)
  t.strictSame(await find('name=Robert'), [bob.id])
  t.strictSame(codeOf(await change(newId(), { name: 'Eve' })), [404, 'user_not_found'])
  for (const body of [{ name: ' ' }, { name: null }, { id: ada.id }]) {
    t.strictSame(codeOf(await change(bob.id, body)), [400, 'invalid_request'])
  }
})

t.test('only keys that the operator has created as administrators may administer', async (t) => {
  const { operator, using, make, admin } = await createScene(t)
  const operations = operationsOf(readDocument()).filter((each) => each['x-required-scope'] === 'admin')
  t.ok(operations.length > 10)
  const everything = SCOPE_NAMES.filter((scope) => scope !== 'admin')
  for (const key of [operator.key, await make(everything)]) {
    for (const { method, path, operationId } of operations) {
      const url = path.replace(/\{\w+\}/g, operator.id)
      t.strictSame(codeOf(await using(key)(method as 'GET', url, {})), [403, 'insufficient_scope'], operationId)
    }
  }
  const both = using(await make(['admin', 'keys:manage']))
  const body = { name: 'a', scopes: ['admin'] }
  for (const [send, path] of [
    [both, '/keys'],
    [using(operator.key), '/keys'],
    [admin, `/users/${operator.id}/keys`],
  ] as const) {
    t.strictSame(codeOf(await send('POST', path, body)), [403, 'api_key_too_wide'])
  }
})

t.test('an administrator sees no posts, accounts, files or secrets', async (t) => {
  const { admin } = await createScene(t)
  for (const path of ['/posts', '/accounts', '/media', '/apps', '/sandbox/calls', '/keys']) {
    t.strictSame(codeOf(await admin('GET', path)), [403, 'insufficient_scope'], path)
  }
})

t.test('users and organisations have a name that is not blank', async (t) => {
  const { admin } = await createScene(t)
  const message = 'Must have a character that is not white space'
  for (const path of ['/users', '/organizations']) {
    const before = (await admin('GET', path)).body.data.length
    for (const name of ['', '   ', '\t\n\u00a0\u2003']) {
      const { status, body } = await admin('POST', path, { name })
      const issue = { code: 'invalid_string', validation: 'regex', path: ['name'], message }
      t.strictSame([status, body.details], [400, [issue]], `${path} ${JSON.stringify(name)}`)
    }
    t.equal((await admin('GET', path)).body.data.length, before)
    t.hasStrict((await admin('POST', path, { name: ' a ' })).body, { name: ' a ' })
  }
})

t.test('members are added, promoted and removed, and lose access to accounts', async (t) => {
  const { admin, user } = await createScene(t)
  const [ada, bob] = [await user('ada'), await user('bob')]
  const { body: organization } = await admin('POST', '/organizations', { name: 'a' })
  const members = `/organizations/${organization.id}/members`
  for (const person of [ada, bob]) await admin('PUT', `${members}/${person.id}`, { role: 'member' })
  t.hasStrict((await admin('PUT', `${members}/${ada.id}`, { role: 'admin' })).body, { name: 'ada', role: 'admin' })
  const { data, nextCursor } = (await admin('GET', `${members}?limit=1`)).body
  t.hasStrict(data, [{ userId: bob.id, role: 'member' }])
  const rest = await admin('GET', `${members}?cursor=${nextCursor}`)
  t.hasStrict(rest.body, { data: [{ userId: ada.id, role: 'admin' }], nextCursor: null })

  const account = await ada.account('x', { organizationId: organization.id })
  const body = { accountIds: [account], caption: 'hi' }
  t.equal((await bob.call('POST', '/posts', body)).status, 201)
  t.strictSame((await admin('DELETE', `${members}/${bob.id}`)).body, { success: true })
  t.equal((await bob.call('POST', '/posts', body)).status, 403)
  t.strictSame(codeOf(await admin('DELETE', `${members}/${bob.id}`)), [404, 'member_not_found'])
})

t.test('an organisation is deleted when no connected account belongs to it', async (t) => {
  const { admin, user, organization } = await createScene(t)
  const ada = await user()
  const id = await organization(ada)
  const account = await ada.account('x', { organizationId: id })
  t.strictSame(codeOf(await admin('DELETE', `/organizations/${id}`)), [409, 'organization_in_use'])
  t.equal((await ada.call('DELETE', `/accounts/${account}`)).status, 200)
  t.strictSame((await admin('DELETE', `/organizations/${id}`)).body, { success: true })
  t.strictSame(codeOf(await admin('GET', `/organizations/${id}`)), [404, 'organization_not_found'])
})

t.test('a deleted user loses access immediately, and then all data', async (t) => {
  const { app, admin, user, operator } = await createScene(t)
  const ada = await user()
  await upload(app, ada, [['file', await jpeg(50)]])
  await ada.call('POST', '/posts', { accountIds: [await ada.account('x')], caption: 'hi' })
  const deleted = await admin('DELETE', `/users/${ada.id}`)
  t.equal(deleted.status, 202)
  t.equal(deleted.body.id, ada.id)
  await until('the key is rejected', () => ada.call('GET', '/posts'), { isMet: ({ status }) => status === 401 })
  // A deletion that a busy database has interrupted is repeated.
  const isGone = async () => (await admin('DELETE', `/users/${ada.id}`)).status === 404
  await until('the user is deleted', isGone, { intervalMs: 200 })
  t.strictSame(codeOf(await admin('DELETE', `/users/${operator.id}`)), [409, 'own_user'])
})

t.test('a user is created once for each Idempotency-Key', async (t) => {
  const { app, make } = await createScene(t)
  const headers = { authorization: `Bearer ${await make(['admin'])}`, 'idempotency-key': 'a' }
  const create = () =>
    until(
      'the request is carried out',
      () => app.inject({ method: 'POST', url: '/api/v1/users', headers, payload: { name: 'a' } }),
      {
        isMet: ({ statusCode }) => statusCode !== 503,
      },
    )
  t.equal((await create()).json().id, (await create()).json().id)
})

t.test('a key is created once for each Idempotency-Key, and its secret is stored encrypted', async (t) => {
  const { app, db, make, admin } = await createScene(t)
  const { id } = (await admin('POST', '/users', { name: 'a' })).body
  const headers = { authorization: `Bearer ${await make(['admin'])}`, 'idempotency-key': 'a' }
  const create = (name: string) =>
    app.inject({
      ...{ method: 'POST', url: `/api/v1/users/${id}/keys`, headers },
      payload: { name, scopes: ['posts:read'] },
    })
  const first = await create('a')
  t.equal(first.statusCode, 201)
  const again = await create('a')
  t.strictSame([again.json(), again.headers['idempotent-replayed']], [first.json(), 'true'])
  t.equal((await create('b')).statusCode, 409, 'the key of another request')
  t.equal((await admin('GET', `/users/${id}/keys`)).body.data.length, 1)
  const stored = await db.selectFrom('idempotencyKeys').select('body').where('status', '=', 201).execute()
  t.notMatch(JSON.stringify(stored), first.json().key)
})

t.test('without a key to encrypt with, a key is created once, and its secret is not stored', async (t) => {
  const { app, db, make, admin } = await createScene(t, { keyring: undefined })
  const { id } = (await admin('POST', '/users', { name: 'a' })).body
  const headers = { authorization: `Bearer ${await make(['admin'])}` }
  const payload = { name: 'a', scopes: ['posts:read'] }
  const request = { method: 'POST', url: `/api/v1/users/${id}/keys`, payload } as const
  const send = () => app.inject({ ...request, headers: { ...headers, 'idempotency-key': 'a' } })
  const first = await send()
  t.equal(first.statusCode, 201)
  const second = await send()
  t.strictSame([second.statusCode, second.headers['x-error-code']], [409, 'secret_not_kept'])
  t.equal((await admin('GET', `/users/${id}/keys`)).body.data.length, 1)
  const stored = await db.selectFrom('idempotencyKeys').select('body').execute()
  t.notMatch(JSON.stringify(stored), first.json().key)
})

t.test('an invalid page of what does not exist is a 400, and a valid one a 404', async (t) => {
  const { admin } = await createScene(t)
  for (const list of [`/users/${newId()}/keys`, `/organizations/${newId()}/members`]) {
    t.equal((await admin('GET', `${list}?cursor=${newId()}&offset=1`)).status, 400, list)
    t.equal((await admin('GET', list)).status, 404, list)
  }
})
