import t from 'tap'
import { revokeKey } from '../../db/queries/keys.ts'
import { generateCode, generateKey } from '../../src/features/auth/key.ts'
import { call } from '../helpers/app.ts'
import { postroom } from '../helpers/command.ts'
import { sweepNow } from '../helpers/sweeps.ts'
import { until } from '../helpers/until.ts'
import { type Connected, createScene } from './scene.ts'

t.test('a user sees the apps that are connected, and ends one', async (t) => {
  const { app, user, connect } = await createScene(t)
  const [ada, bob] = [await user(), await user()]
  const { clientId, tokens } = await connect(ada.key)
  const { body } = await ada.call('GET', '/connected-apps')
  const [connected] = body.data
  const expected = {
    id: connected.id,
    name: 'Test app',
    clientId,
    redirectUri: 'https://app.example/callback',
    scopes: tokens.scope.split(' '),
    accountIds: null,
    expiresAt: null,
    lastUsedAt: null,
    createdAt: connected.createdAt,
  }
  t.strictSame(body.data, [expected])

  t.strictSame((await bob.call('GET', '/connected-apps')).body.data, [])
  t.equal((await bob.call('DELETE', `/connected-apps/${connected.id}`)).status, 404)
  const { body: own } = await ada.call('GET', '/key')
  t.equal((await ada.call('DELETE', `/connected-apps/${own.id}`)).status, 404, 'a key of no app')
  t.equal((await ada.call('DELETE', `/connected-apps/${connected.id}`)).status, 200)
  t.equal((await ada.call('DELETE', `/connected-apps/${connected.id}`)).status, 404)
  t.strictSame((await ada.call('GET', '/connected-apps')).body.data, [])
  await until('the token is rejected', async () => (await call(app, tokens.access_token, 'GET', '/key')).status === 401)
})

t.test('a code of the command takes the place of a key, once', async (t) => {
  const { origin, db, user, register, begin, approve, submit } = await createScene(t)
  const ada = await user()
  const { stdout } = await postroom(['mcp', 'approve', '--json'], { POSTROOM_URL: origin, POSTROOM_KEY: ada.key })
  const { code } = JSON.parse(stdout)
  t.match(code, /^(?:[2-9A-HJ-NP-Z]{4}-){2}[2-9A-HJ-NP-Z]{4}$/)
  const { path } = begin({ client_id: await register() })
  t.ok((await approve(path, code)).searchParams.get('code'))
  t.equal((await submit(path, { key: code })).status, 400, 'a second time')

  const { body } = await ada.call('POST', '/connected-apps/codes')
  await db
    .updateTable('oauthApprovals')
    .set({ expiresAt: new Date(0) })
    .execute()
  t.equal((await submit(path, { key: body.code })).status, 400, 'too late')
  for (let number = 0; number < 20; number++) await ada.call('POST', '/connected-apps/codes')
  t.equal((await ada.call('POST', '/connected-apps/codes')).status, 429)
})

t.test('wrong codes are refused after ten in a minute from one network, and right ones never', async (t) => {
  const { user, register, begin, submit } = await createScene(t, { trustedProxies: ['127.0.0.1'] })
  const { path } = begin({ client_id: await register() })
  const statuses = []
  for (let number = 0; number < 12; number++) {
    statuses.push((await submit(path, { key: generateCode() })).status)
  }
  t.strictSame([statuses[9], statuses.at(-1)], [400, 429])
  t.equal((await submit(path, { key: generateKey() })).status, 429)
  const ada = await user()
  t.equal((await submit(path, { key: ada.key })).status, 200, 'a valid key is always let in')
  const { code } = (await ada.call('POST', '/connected-apps/codes')).body
  t.equal((await submit(path, { key: ` ${code.toLowerCase().replaceAll('-', ' ')}` })).status, 200, 'and a valid code')
})

t.test('without a named proxy, wrong keys and codes of strangers keep nobody out', async (t) => {
  const { user, register, begin, submit } = await createScene(t)
  const { path } = begin({ client_id: await register() })
  const statuses = []
  for (let number = 0; number < 30; number++) statuses.push((await submit(path, { key: generateKey() })).status)
  t.strictSame(statuses, Array(30).fill(400))
  for (let number = 0; number < 70; number++) statuses.push((await submit(path, { key: generateCode() })).status)
  t.equal(statuses.at(-1), 429)
  const ada = await user()
  t.equal((await submit(path, { key: ada.key })).status, 200)
  const { code } = (await ada.call('POST', '/connected-apps/codes')).body
  t.equal((await submit(path, { key: code })).status, 200)
})

t.test('a sweep deletes what has expired, and ends the apps that have no token any more', async (t) => {
  const world = await createScene(t)
  const { db, user, connect, register } = world
  const ada = await user()
  const kept = await connect(ada.key)
  const [used] = (await ada.call('GET', '/connected-apps')).body.data
  await connect(ada.key)
  const unused = await register()
  const past = new Date(0)
  await db.updateTable('oauthTokens').set({ expiresAt: past }).where('keyId', '!=', used.id).execute()
  await db.updateTable('oauthCodes').set({ expiresAt: past }).execute()
  await db.updateTable('oauthClients').set({ expiresAt: past }).where('id', '=', unused).execute()
  await sweepNow(world)
  const { data } = (await ada.call('GET', '/connected-apps')).body
  t.strictSame(
    data.map(({ id }: { id: string }) => id),
    [used.id],
  )
  const count = async (table: 'oauthTokens' | 'oauthCodes' | 'oauthClients') =>
    (await db.selectFrom(table).selectAll().execute()).length
  t.strictSame([await count('oauthTokens'), await count('oauthCodes'), await count('oauthClients')], [2, 0, 2])
  const { data: keys } = (await ada.call('GET', '/keys')).body
  t.equal(keys.length, 2, "the user's own, and that of one app")
  t.ok(kept.tokens)
})

t.test('the webhooks that an app has created end with its access, however it ends', async (t) => {
  const world = await createScene(t)
  const { app, db, user, connect, post } = world
  const ada = await user()
  const own = (await ada.call('POST', '/webhooks', { url: 'https://own.example/', types: ['post.*'] })).body
  const listed = async () => (await ada.call('GET', '/webhooks')).body.data.map(({ url }: { url: string }) => url)
  const expire = (keyId: string) =>
    db
      .updateTable('apiKeys')
      .set({ expiresAt: new Date(0) })
      .where('id', '=', keyId)
      .execute()
  const ends: Record<string, (keyId: string, connected: Connected) => Promise<unknown>> = {
    'the user disconnects it': (keyId) => ada.call('DELETE', `/connected-apps/${keyId}`),
    'the user revokes its key': (keyId) => ada.call('DELETE', `/keys/${keyId}`),
    'the operator revokes its key': (keyId) => revokeKey(db, keyId),
    'it revokes its token': (_, { clientId, tokens }) =>
      post('/oauth/revoke', { client_id: clientId, token: tokens.access_token }),
    'its code comes twice': (_, { clientId, code, verifier }) =>
      post('/oauth/token', { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier }),
    'its key expires': async (keyId) => {
      await expire(keyId)
      await sweepNow(world)
    },
    'its tokens are not used': async (keyId) => {
      await db
        .updateTable('oauthTokens')
        .set({ expiresAt: new Date(0) })
        .where('keyId', '=', keyId)
        .execute()
      await sweepNow(world)
    },
  }
  const problems = []
  for (const [way, end] of Object.entries(ends)) {
    const connected = await connect(ada.key, { scope: 'webhooks:manage posts:read' })
    const asApp = (method: 'GET' | 'POST', path: string, body?: object) =>
      call(app, connected.tokens.access_token, method, path, body)
    const { status, body } = await asApp('POST', '/webhooks', { url: 'https://app.example/', types: ['post.*'] })
    if (status !== 201) problems.push([way, status, body])
    await end((await asApp('GET', '/key')).body.id, connected)
    const left = await listed()
    if (left.join() !== own.url) problems.push([way, left])
  }
  t.strictSame(problems, [])
})

t.test('an app that was disconnected a moment ago creates no webhook', async (t) => {
  const { app, user, connect } = await createScene(t)
  const ada = await user()
  const { tokens } = await connect(ada.key, { scope: 'webhooks:manage posts:read' })
  const clock = performance.now()
  t.intercept(performance, 'now', { value: () => clock })
  const { id } = (await call(app, tokens.access_token, 'GET', '/key')).body
  await ada.call('DELETE', `/connected-apps/${id}`)
  // The cache still has its token, because its clock stands still.
  const body = { url: 'https://app.example/', types: ['post.*'] }
  t.equal((await call(app, tokens.access_token, 'POST', '/webhooks', body)).status, 401)
  t.strictSame((await ada.call('GET', '/webhooks')).body.data, [])
})

t.test('the key of an app is not rotated: the successor would be a key that outlives the app', async (t) => {
  const { user, connect } = await createScene(t)
  const ada = await user()
  await connect(ada.key)
  const [{ id }] = (await ada.call('GET', '/connected-apps')).body.data
  const { status, headers } = await ada.call('POST', `/keys/${id}/rotate`, {})
  t.strictSame([status, headers['x-error-code']], [409, 'api_key_not_rotatable'])
  t.strictSame((await ada.call('GET', '/connected-apps')).body.data[0].expiresAt, null)
})

t.test('an app expires with the key that approved it: its tokens say so, and then it is not listed', async (t) => {
  const { db, user, connect } = await createScene(t)
  const ada = await user()
  const short = { name: 'short', scopes: ['keys:manage', 'posts:read'] }
  const expiresAt = new Date(Date.now() + 600_000).toISOString()
  const { key } = (await ada.call('POST', '/keys', { ...short, expiresAt })).body
  const { tokens } = await connect(key)
  t.ok(tokens.expires_in > 0 && tokens.expires_in <= 600, `${tokens.expires_in} s`)
  t.equal((await ada.call('GET', '/connected-apps')).body.data.length, 1)
  await db
    .updateTable('apiKeys')
    .set({ expiresAt: new Date(0) })
    .where('expiresAt', 'is not', null)
    .execute()
  t.strictSame((await ada.call('GET', '/connected-apps')).body.data, [])
})
